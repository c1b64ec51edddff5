import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Keeps what was compiled for the next process: a start is several of them, and each loads the same files. Where
// the folder cannot be written, Node goes without. It has to come before anything else is loaded.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'beckon'))

const { run } = await import('./cli/run.ts')

process.exit(await run(process.argv.slice(2)))
