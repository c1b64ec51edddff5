/**
 * `npm run mutants -- src/domain test/unit test/property`: changes each comparison, logical operator and guard of the
 * sources once, runs the tests that execute the changed place, and lists the changes no test noticed. `--every=10` takes
 * a sample: every tenth place. A test that does not end in time has noticed the change, unless the machine is too busy
 * for it, so that these are counted apart. `--late=10` ends a test after three times its usual time and ten seconds.
 */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startThrowawayPostgres } from '../support/database/postgres.ts'
import { type Covered, coverTest, exitCode, isCovered } from './coverage.ts'
import { findSites, type Site } from './sites.ts'

const home = join(import.meta.dirname, '..', '..')

const EVERY = '--every='
const LATE = '--late='

/** A place that many files run is caught by one of the quickest, or by none. */
const TESTS_PER_MUTANT_MAX = 8

/** A test that usually takes no time may take this long on a busy machine, in seconds. */
const LATE_SECONDS = 60

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  const parts = words.filter((word) => !word.startsWith('--'))
  const every = numberAfter(EVERY, words) ?? 1
  const lateMs = (numberAfter(LATE, words) ?? LATE_SECONDS) * 1000
  const sources = filesOf(parts, '{src,web}/**/*.ts')
  const tests = filesOf(parts, 'test/**/*.test.ts')
  if (sources.length === 0 || tests.length === 0) {
    say('Name sources and tests: npm run mutants -- src/domain test/unit test/property')
    return 2
  }
  const shared = process.env['BECKON_TEST_DATABASE_URL']
  const postgres = shared === undefined ? await startThrowawayPostgres() : undefined
  const env = { ...process.env, BECKON_TEST_DATABASE_URL: shared ?? postgres?.url }
  try {
    const covered = await coverAll(tests, env)
    await tryMutants(sitesOf(sources, every), covered, { env, lateMs })
  } finally {
    await postgres?.stop()
  }
  return 0
}

function numberAfter(option: string, words: readonly string[]): number | undefined {
  const word = words.find((one) => one.startsWith(option))
  return word === undefined ? undefined : Number(word.slice(option.length))
}

function filesOf(parts: readonly string[], pattern: string): string[] {
  return globSync(pattern, { cwd: home })
    .filter((file) => parts.some((part) => file.startsWith(part)))
    .toSorted()
}

async function coverAll(tests: readonly string[], env: NodeJS.ProcessEnv): Promise<Covered[]> {
  const all: Covered[] = []
  await side(tests, async (test) => {
    const covered = await coverTest(test, home, env)
    if (covered === undefined) say(`fails unchanged, left out: ${test}`)
    else all.push(covered)
  })
  say(`${all.length} test files ran`)
  return all.toSorted((a, b) => a.ms - b.ms)
}

function sitesOf(sources: readonly string[], every: number): readonly Site[] {
  const all = sources.flatMap((file) => findSites(file, readFileSync(join(home, file), 'utf8')))
  return all.filter((_, at) => at % every === 0)
}

type Trial = { readonly env: NodeJS.ProcessEnv; readonly lateMs: number }

async function tryMutants(sites: readonly Site[], covered: readonly Covered[], trial: Trial): Promise<void> {
  const counts = { caught: 0, late: 0, survived: 0, unreached: 0 }
  await side(sites, async (site) => {
    const end = await tryMutant(site, covered, trial)
    counts[end] += 1
    if (end !== 'caught')
      say(`${end} ${site.file}:${site.line}:${site.column} ${site.text.trim()} → ${site.replacement.trim()}`)
  })
  const all = sites.length
  say(
    `${all} mutants: ${counts.caught} caught, ${counts.late} stopped a test, ${counts.survived} survived, ${counts.unreached} reached by no test`,
  )
}

async function tryMutant(
  site: Site,
  covered: readonly Covered[],
  { env, lateMs }: Trial,
): Promise<'caught' | 'late' | 'survived' | 'unreached'> {
  const path = join(home, site.file)
  const tests = covered.filter((one) => isCovered(one, path, site.start)).slice(0, TESTS_PER_MUTANT_MAX)
  const mutant = JSON.stringify({ path, start: site.start, end: site.end, replacement: site.replacement })
  for (const { test, ms } of tests) {
    const code = await exitCode(test, home, { ...env, BECKON_MUTANT: mutant }, ms * 3 + lateMs)
    if (code === null) return 'late'
    if (code !== 0) return 'caught'
  }
  return tests.length === 0 ? 'unreached' : 'survived'
}

/** Works through the list, as many at a time as there are cores. */
async function side<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...list]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
