import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Keeps compiled code for the next process: a start has several processes, and each loads the same files. Where the
// folder cannot be written, Node does without. The cache must be enabled before any other file is loaded.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'beckon'))

const { run } = await import('./cli/run.ts')

process.exit(await run(process.argv.slice(2)))
