/**
 * `npm test`: types, lint, format, then every test file against a PostgreSQL of this run alone.
 * `npm run check` stops before the tests, `npm run format` mends the format, and
 * `npm test -- test/api` (or any part of a path) runs the files whose path contains it, without the checks.
 */
import { execFile, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, sep } from 'node:path'
import { run } from 'node:test'
import { installPrograms } from './support/browser/programs.ts'
import { startThrowawayPostgres } from './support/database/postgres.ts'
import { Report } from './support/report.ts'
import { useTemporaryFolder } from './support/temporary-folder.ts'

const home = join(import.meta.dirname, '..')
const [first, ...rest] = process.argv.slice(2)

/** A test that hangs must end as a failure, not as a run without an answer. No test has a limit of its own that a slow machine could meet. */
const TEST_MAX_MS = 20 * 60_000

/** More than any check prints, also about a tree in which every file is wrong. */
const SAID_MAX_BYTES = 64 * 1024 * 1024

/** Compiled code, kept for the next process: most of them load the same 1200 files. */
const NODE_COMPILE_CACHE = join(home, 'node_modules', '.cache', 'tests')

/** Many files wait for processes or pages to start, for leases to run out or for a provider to give up; others run meanwhile. */
const WAITING_FILES = 2

/** The folders of those files, the longest files first. */
const WAITING_FOLDERS = ['fault', 'dashboard', 'e2e']

/** The files of the other folders that share a process: to load Beckon takes longer than most of them do. */
const TOGETHER_FILES = 12

/** The program that runs them. */
const TOGETHER = join(home, 'test', 'support', 'together.ts')

/** The share of the run in which waiting files begin. The rest is left to short files, so that no core waits for one long file. */
const WAITING_SHARE = 0.9

const CHECKS = [
  { name: 'types', program: 'tsc', args: ['-p', '.'] },
  { name: 'types of the web SDK', program: 'tsc', args: ['-p', 'web/sdk'] },
  { name: 'types of the docs', program: 'tsc', args: ['-p', 'web/docs'] },
  { name: 'types of the demo shop', program: 'tsc', args: ['-p', 'web/demo'] },
  { name: 'types of the dashboard', program: 'tsc', args: ['-p', 'web/dashboard'] },
  { name: 'types of the service worker', program: 'tsc', args: ['-p', 'web/service-worker'] },
  { name: 'lint', program: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'format', program: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'sizes', program: 'node', args: ['test/sizes.ts'], isShown: true },
] as const satisfies readonly Check[]

/** `isShown`: what it prints is worth reading also when all is well. */
type Check = {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly isShown?: true
}

process.exitCode = await main()

async function main(): Promise<number> {
  if (first === 'format') return formatFiles()
  if (first === 'check') return countBrokenChecks()
  const wanted = first === undefined ? [] : [first, ...rest]
  // The checks keep one core busy, so tests run beside them. They take longer than most files, so a few named files run without them.
  const checks = wanted.length === 0 ? countBrokenChecks() : 0
  const [brokenChecks, report] = await Promise.all([checks, runTests(wanted)])
  report.print(brokenChecks)
  return report.failed + brokenChecks === 0 && report.passed > 0 ? 0 : 1
}

function formatFiles(): number {
  const { status } = spawnSync(programFile('biome'), ['check', '--write', '.'], {
    cwd: home,
    stdio: 'inherit',
  })
  return status ?? 1
}

async function countBrokenChecks(): Promise<number> {
  let broken = 0
  for (const check of CHECKS) broken += (await isGood(check)) ? 0 : 1
  return broken
}

async function isGood({ name, program, args, isShown }: Check): Promise<boolean> {
  const startedAt = performance.now()
  const { isDone, said } = await runProgram(program, args)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const shown = isDone && isShown !== true ? '' : said
  process.stdout.write(`${shown}${isDone ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
  return isDone
}

type Ended = { readonly isDone: boolean; readonly said: string }

async function runProgram(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: home, maxBuffer: SAID_MAX_BYTES }
    execFile(programFile(program), args, options, (error, stdout, stderr) =>
      resolve({ isDone: error === null, said: `${stdout}${stderr}` }),
    )
  })
}

function programFile(program: string): string {
  return join(home, 'node_modules', '.bin', program)
}

async function runTests(wanted: readonly string[]): Promise<Report> {
  const files = globSync('test/**/*.test.ts', { cwd: home })
    .toSorted()
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  if (files.some((file) => file.includes('browser'))) {
    installPrograms((line) => process.stdout.write(`${line}\n`))
  }
  const report = new Report(home)
  const removeFolder = await useTemporaryFolder()
  const postgres = await startThrowawayPostgres()
  const env = { ...process.env, BECKON_TEST_DATABASE_URL: postgres.url, NODE_COMPILE_CACHE }
  const groups = mix(files).values()
  const runGroups = async (): Promise<void> => {
    for (const group of groups) {
      const events = run({ files: [TOGETHER], argv: [...group], timeout: TEST_MAX_MS, cwd: home, env })
      await report.follow(events, group)
    }
  }
  try {
    await Promise.all(Array.from({ length: availableParallelism() + WAITING_FILES }, runGroups))
  } finally {
    await postgres.stop()
    await removeFolder()
  }
  return report
}

/** The files of one process. */
type Group = readonly string[]

/** Files that wait are spread among files that compute, so that all cores are busy from the beginning to the end. */
function mix(files: readonly string[]): readonly Group[] {
  const folders = Map.groupBy(files, folderOf)
  const waiting = WAITING_FOLDERS.flatMap((folder) => folders.get(folder) ?? []).map((file) => [file])
  const computing = [...folders]
    .filter(([folder]) => !WAITING_FOLDERS.includes(folder))
    .flatMap(([, inside]) => deal(inside))
  return [...spread(waiting, WAITING_SHARE), ...spread(computing, 1)]
    .toSorted((one, other) => one.place - other.place)
    .map(({ group }) => group)
}

function folderOf(file: string): string {
  return file.split(sep)[1] ?? ''
}

/** Like cards, so that long files about one thing, which stand side by side, come into different groups. */
function deal(files: readonly string[]): readonly Group[] {
  const count = Math.ceil(files.length / TOGETHER_FILES)
  return Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index))
}

type Placed = { readonly group: Group; readonly place: number }

function spread(groups: readonly Group[], share: number): readonly Placed[] {
  return groups.map((group, index) => ({ group, place: (share * index) / groups.length }))
}
