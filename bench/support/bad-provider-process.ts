/** A provider with bad days, in a process of its own. Prints its origin, and behaves as each line that it reads says. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type BadDay, startBadProvider } from '../../test/support/push/bad-provider.ts'

const DAYS: readonly BadDay[] = ['hang', 'drip', 'reset', 'answer']

const provider = await startBadProvider('answer', JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')))
process.stdout.write(`${provider.origin}\n`)
for await (const line of createInterface(process.stdin)) {
  const day = DAYS.find((one) => one === line)
  if (day !== undefined) provider.set(day)
}
