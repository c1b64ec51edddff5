import { run, setHome } from './commands.ts'

setHome(import.meta.url)

/** The SDK as a module, served as /sdk.mjs; `beckon.d.ts` has its types. */
export const beckon = run
