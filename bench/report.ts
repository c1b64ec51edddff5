/**
 * `npm run bench -- report`: runs every benchmark of the report, and writes what they measured to docs/benchmarks.md, with
 * pictures, and what follows for many machines to docs/cluster.md. `npm run bench -- report delivery single` runs these two and takes the others from bench/results;
 * `npm run bench -- report page` runs none. Run it on a calm machine: all processes of a benchmark share its cores.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderGrowTables, withGrowTables } from './support/grow-tables.ts'
import { REPORT_JOBS } from './support/report-jobs.ts'
import { pictureOf, renderReport, withReport } from './support/report-page.ts'
import { drawResults } from './support/report-picture.ts'
import { commandOf, parseKept, readResults, saveResults } from './support/results.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs', 'benchmarks.md')
const cluster = join(root, 'docs', 'cluster.md')
const wanted = process.argv.slice(3)
const names = REPORT_JOBS.map(({ name }) => name)
const unknown = wanted.filter((name) => name !== 'page' && !names.some((known) => known === name))

if (unknown.length > 0) {
  process.stderr.write(`The report has no ${unknown.join(', ')}. It has: ${names.join(', ')}.\n`)
  process.exitCode = 2
} else {
  for (const name of names) if (wanted.length === 0 || wanted.includes(name)) measure(name)
  writePage()
}

/** Runs a benchmark in a process of its own. One that misses a bar has results; one that breaks off has none. */
function measure(job: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-report-'))
  const figures = join(folder, 'figures')
  const [loadBefore = 0] = loadavg()
  const startedAt = performance.now()
  try {
    const env = { ...process.env, BENCH_FIGURES: figures }
    spawnSync(process.execPath, [join(root, 'bench', 'run.ts'), job], { env, stdio: 'inherit' })
    saveResults({
      job,
      command: commandOf(job, process.env),
      date: new Date().toISOString().slice(0, 10),
      commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
      cores: availableParallelism(),
      processor: `${cpus()[0]?.model ?? 'unknown'} (${process.arch})`,
      loadBefore,
      seconds: Math.round((performance.now() - startedAt) / 1000),
      kept: parseKept(existsSync(figures) ? readFileSync(figures, 'utf8') : ''),
    })
  } catch (cause) {
    // The other benchmarks of a long run are worth having.
    process.stderr.write(`${job} has no results: ${String(cause)}\n`)
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writePage(): void {
  const sections = REPORT_JOBS.flatMap(({ name, title }) => {
    const results = readResults(name)
    return results === null ? [] : [{ title, results }]
  })
  for (const { results } of sections) {
    writeFileSync(join(root, 'docs', pictureOf(results.job)), drawResults(results.kept))
  }
  writeFileSync(page, withReport(readFileSync(page, 'utf8'), renderReport(sections)))
  writeFileSync(cluster, withGrowTables(readFileSync(cluster, 'utf8'), renderGrowTables(readResults)))
  process.stdout.write(
    `  the results of ${sections.length} benchmarks are in docs/benchmarks.md, their arithmetic is in docs/cluster.md\n`,
  )
}
