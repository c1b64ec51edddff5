import type { Beckon } from '../sdk/beckon.d.ts'

/** The SDK as every page has it: `/sdk.js` is loaded before us, and leaves `beckon` behind. */
export const beckon: Beckon = Reflect.get(globalThis, 'beckon')
