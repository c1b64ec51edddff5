/**
 * The quick far end in a process of its own. Its arguments are the file of its certificate and, optionally, `tell`: then it
 * prints the moment of each message, in nanoseconds of the clock that all processes of the machine share.
 */
import { readFileSync } from 'node:fs'
import { startQuickApns } from './quick-apns.ts'

const [file = '', mode] = process.argv.slice(2)
const tell = (): void => void process.stdout.write(`at ${process.hrtime.bigint()}\n`)
const ignore = (): void => undefined
const origin = await startQuickApns(JSON.parse(readFileSync(file, 'utf8')), mode === 'tell' ? tell : ignore)
process.stdout.write(`${origin}\n`)
