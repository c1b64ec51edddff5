/**
 * `npm run bench -- accept`: runs the benchmark of that name, `npm run bench` all of them but the report. Machines are
 * noisy, so every target is a ratio between two things measured in turn in the same run, and both are printed.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { saveEnd, saveMemory } from './support/figures.ts'
import { peakMiB } from './support/processes.ts'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.replace(/\.ts$/, ''))
const [wanted] = process.argv.slice(2)

if (wanted !== undefined && !names.includes(wanted)) {
  process.stderr.write(`There is no benchmark ${wanted}. There are: ${names.join(', ')}.\n`)
  process.exitCode = 2
} else {
  for (const name of wanted === undefined ? names.filter((one) => one !== 'report') : [wanted]) {
    process.stdout.write(`\n${name}\n`)
    await import(join(import.meta.dirname, `${name}.ts`))
    // Several benchmarks serve the API in their own process.
    saveMemory('the benchmark', peakMiB(process.pid))
    saveEnd()
  }
}
