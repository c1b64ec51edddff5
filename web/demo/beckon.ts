import type { Beckon } from '../sdk/beckon.d.ts'

/** The SDK as every page has it: `/sdk.js` loads first and defines `beckon`. */
export const beckon: Beckon = Reflect.get(globalThis, 'beckon')
