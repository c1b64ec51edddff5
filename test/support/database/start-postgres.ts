/** A program for tests: starts the embedded PostgreSQL on a folder, says so in one line, and leaves it running. */
import { start } from './data-folder.ts'

const [dataDir = ''] = process.argv.slice(2)
const { pid, url, adopted } = await start(dataDir)
process.stdout.write(`${JSON.stringify({ pid, url, adopted })}\n`)
