import { run, setHome } from './commands.ts'

setHome(import.meta.url)

/** The SDK for those who bundle, loaded from /sdk.mjs; `beckon.d.ts` has its types. */
export const beckon = run
