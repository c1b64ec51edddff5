/**
 * `npm run bench -- report`: runs the benchmarks that compare Beckon with other people's programs, and writes what they
 * measured to docs/benchmarks.md, with a picture. Run it on a calm machine: every process of Beckon, the sandbox and the
 * peer share its cores.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from './support/figures.ts'
import { renderReport, withReport } from './support/report-page.ts'
import { drawFigures } from './support/report-picture.ts'

/** The benchmarks that keep figures. */
const JOBS = ['delivery'] as const

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs', 'benchmarks.md')
const picture = 'benchmarks-peers.svg'
const folder = mkdtempSync(join(tmpdir(), 'beckon-report-'))
const figuresFile = join(folder, 'figures')
const facts = {
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
  cores: availableParallelism(),
  loadBefore: loadavg()[0] ?? 0,
}
try {
  for (const job of JOBS) {
    const env = { ...process.env, BENCH_FIGURES: figuresFile }
    execFileSync(process.execPath, [join(root, 'bench', 'run.ts'), job], { env, stdio: 'inherit' })
  }
  const figures = readFileSync(figuresFile, 'utf8')
    .trim()
    .split('\n')
    .map((line): Figure => JSON.parse(line))
  writeFileSync(join(root, 'docs', picture), drawFigures(figures))
  writeFileSync(page, withReport(readFileSync(page, 'utf8'), renderReport(figures, facts, picture)))
  process.stdout.write(`  ${figures.length} figures are in docs/benchmarks.md\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
