/**
 * `npm run mutants -- src/domain test/unit test/property`: changes each comparison, logical operator and guard of the
 * sources once, runs the tests that execute the changed place, and lists the changes no test noticed. `--every=10` takes
 * every tenth place, `--sample=150` so many places by chance, the same ones for the same `--seed=1` and the same sources;
 * `--skip=150` takes the sample after that one. `--late=10` ends a test after three times its usual time and ten seconds. It
 * then runs without the change: if it ends in time, it has noticed the change, and is counted apart; otherwise the machine was
 * too busy to tell. `--at-once=1` leaves room for other programs.
 */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startThrowawayPostgres } from '../support/database/postgres.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { useTemporaryFolder } from '../support/temporary-folder.ts'
import { type Covered, coverTest, exitCode, isCovered } from './coverage.ts'
import { findSites, type Site } from './sites.ts'

const home = join(import.meta.dirname, '..', '..')

const EVERY = '--every='
const LATE = '--late='
const SAMPLE = '--sample='
const SEED = '--seed='
const SKIP = '--skip='
const AT_ONCE = '--at-once='

/** A place that many files run is caught by one of the quickest, or by none. */
const TESTS_PER_MUTANT_MAX = 8

/** A test that usually takes no time may take this long on a busy machine, in seconds. */
const LATE_SECONDS = 60

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  const parts = words.filter((word) => !word.startsWith('--'))
  const lateMs = (numberAfter(LATE, words) ?? LATE_SECONDS) * 1000
  const atOnce = numberAfter(AT_ONCE, words) ?? availableParallelism()
  const sources = filesOf(parts, '{src,web}/**/*.ts')
  const tests = filesOf(parts, 'test/**/*.test.ts')
  if (sources.length === 0 || tests.length === 0) {
    say('Name sources and tests: npm run mutants -- src/domain test/unit test/property')
    return 2
  }
  const removeFolder = await useTemporaryFolder()
  const shared = process.env['BECKON_TEST_DATABASE_URL']
  const postgres = shared === undefined ? await startThrowawayPostgres() : undefined
  const env = { ...process.env, BECKON_TEST_DATABASE_URL: shared ?? postgres?.url }
  try {
    const covered = await coverAll(tests, { env, atOnce })
    await tryMutants(chosenOf(sitesOf(sources), words), covered, { env, lateMs, atOnce })
  } finally {
    await postgres?.stop()
    await removeFolder()
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

type Run = { readonly env: NodeJS.ProcessEnv; readonly atOnce: number }

async function coverAll(tests: readonly string[], { env, atOnce }: Run): Promise<Covered[]> {
  const all: Covered[] = []
  await side(tests, atOnce, async (test) => {
    const covered = await coverTest(test, home, env)
    if (covered === undefined) say(`fails unchanged, left out: ${test}`)
    else all.push(covered)
  })
  say(`${all.length} test files ran`)
  return all.toSorted((a, b) => a.ms - b.ms)
}

function sitesOf(sources: readonly string[]): readonly Site[] {
  return sources.flatMap((file) => findSites(file, readFileSync(join(home, file), 'utf8')))
}

/** The places that the options ask for. */
function chosenOf(all: readonly Site[], words: readonly string[]): readonly Site[] {
  const every = numberAfter(EVERY, words) ?? 1
  const sample = numberAfter(SAMPLE, words)
  if (sample === undefined) return all.filter((_, at) => at % every === 0)
  say(`${all.length} places`)
  const skip = numberAfter(SKIP, words) ?? 0
  return new SeededRandom(numberAfter(SEED, words) ?? 1).shuffle(all).slice(skip, skip + sample)
}

type Trial = Run & { readonly lateMs: number }

async function tryMutants(sites: readonly Site[], covered: readonly Covered[], trial: Trial): Promise<void> {
  const counts = { caught: 0, late: 0, survived: 0, unreached: 0, unknown: 0 }
  await side(sites, trial.atOnce, async (site) => {
    const end = await tryMutant(site, covered, trial)
    counts[end] += 1
    if (end !== 'caught')
      say(`${end} ${site.file}:${site.line}:${site.column} ${site.text.trim()} → ${site.replacement.trim()}`)
  })
  const all = sites.length
  say(
    `${all} mutants: ${counts.caught} caught, ${counts.late} stopped a test, ${counts.survived} survived, ${counts.unreached} reached by no test, ${counts.unknown} unknown`,
  )
}

async function tryMutant(
  site: Site,
  covered: readonly Covered[],
  { env, lateMs }: Trial,
): Promise<'caught' | 'late' | 'survived' | 'unreached' | 'unknown'> {
  const path = join(home, site.file)
  const tests = covered.filter((one) => isCovered(one, path, site.start)).slice(0, TESTS_PER_MUTANT_MAX)
  const mutant = JSON.stringify({ path, start: site.start, end: site.end, replacement: site.replacement })
  for (const { test, ms } of tests) {
    const limitMs = ms * 3 + lateMs
    const code = await exitCode(test, home, { ...env, BECKON_MUTANT: mutant }, limitMs)
    if (code === null) return (await exitCode(test, home, env, limitMs)) === 0 ? 'late' : 'unknown'
    if (code !== 0) return 'caught'
  }
  return tests.length === 0 ? 'unreached' : 'survived'
}

/** Works through the list, several at a time. */
async function side<T>(list: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...list]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
