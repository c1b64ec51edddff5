import {
  GROW_FIGURES,
  type GrowName,
  type GrowNumbers,
  type ReadResults,
  readGrowNumbers,
} from './grow-figures.ts'
import { REPORT_JOBS } from './report-jobs.ts'
import { shown } from './shown.ts'

const BEGIN = '<!-- Written by `npm run bench -- report`. -->\n'
const END = '<!-- The end of what is written by `npm run bench -- report`. -->\n'

/** docs/cluster.md with other tables between their marks; a page without marks stays as it is. */
export function withGrowTables(page: string, tables: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from === -1 || to < from) return page
  return `${page.slice(0, from)}${BEGIN}\n${tables}\n${page.slice(to)}`
}

/** What was measured, and the arithmetic that follows from it. A row whose figures were not measured is left out, and its job named. */
export function renderGrowTables(read: ReadResults): string {
  const numbers = readGrowNumbers(read)
  const missing = missingJobs(numbers)
  return [
    MEASURED_HEAD,
    ...MEASURED.flatMap(({ what, needs, show }) => {
      const title = REPORT_JOBS.find(({ name }) => name === GROW_FIGURES[needs[0]].job)?.title ?? ''
      return row({ needs, show: (of) => `| ${what} | ${show(of)} | *${title}* |` }, numbers)
    }),
    '',
    RECKONED_INTRODUCTION,
    '',
    RECKONED_HEAD,
    ...RECKONED.flatMap(({ what, needs, show }) =>
      row({ needs, show: (of) => `| ${what} | ${show(of).join(' | ')} |` }, numbers),
    ),
    '',
    ...(missing.length === 0
      ? []
      : [`Not measured yet: \`npm run bench -- report ${missing.join(' ')}\`.`, '']),
  ].join('\n')
}

/** The jobs without which rows are missing. */
export function missingJobs(numbers: GrowNumbers): readonly string[] {
  const missing = Object.entries(GROW_FIGURES).filter(([name]) => !Object.hasOwn(numbers, name))
  return [...new Set(missing.map(([, { job }]) => job))]
}

type Of = (name: GrowName) => number

type Row<Shown> = {
  readonly what: string
  /** All figures that it shows; the job of the first one measured it. */
  readonly needs: readonly [GrowName, ...GrowName[]]
  readonly show: (of: Of) => Shown
}

function row({ needs, show }: Omit<Row<string>, 'what'>, numbers: GrowNumbers): readonly string[] {
  if (needs.some((name) => numbers[name] === undefined)) return []
  return [
    show((name) => {
      if (!needs.includes(name)) throw new Error(`a row shows ${name}, which it does not need`)
      return numbers[name] ?? 0
    }),
  ]
}

const MEASURED_HEAD = `| measured | figure | section of benchmarks.md |
|---|---|---|`

const MEASURED: readonly Row<string>[] = [
  {
    what: 'events in calls of 1000',
    needs: ['eventsPerSecond', 'entryDatabaseMicros', 'entryApiMicros'],
    show: (of) =>
      `${digits(of('eventsPerSecond'))} a second; for each event ${digits(of('entryDatabaseMicros'))} µs of CPU in PostgreSQL and ${digits(of('entryApiMicros'))} µs in the API`,
  },
  {
    what: 'an event in a call of its own',
    needs: ['callMicros'],
    show: (of) => `${digits(of('callMicros'))} µs of CPU, API, worker and PostgreSQL together`,
  },
  {
    what: 'a broadcast to a million devices',
    needs: ['millionSeconds', 'millionWalBytes', 'millionDatabaseMicros'],
    show: (of) =>
      `${digits(of('millionSeconds'))} seconds, ${digits(1e6 / of('millionSeconds'))} messages a second; ${digits(of('millionDatabaseMicros'))} µs of CPU in PostgreSQL and ${digits(of('millionWalBytes'))} bytes of WAL each`,
  },
  {
    what: 'a message, CPU of the worker',
    needs: ['androidWorkerMicros', 'iosWorkerMicros', 'webWorkerMicros'],
    show: (of) =>
      `Android ${digits(of('androidWorkerMicros'))} µs, iOS ${digits(of('iosWorkerMicros'))} µs, web ${digits(of('webWorkerMicros'))} µs`,
  },
  {
    what: 'a message, CPU of PostgreSQL',
    needs: ['androidDatabaseMicros', 'iosDatabaseMicros', 'webDatabaseMicros'],
    show: (of) =>
      `Android ${digits(of('androidDatabaseMicros'))} µs, iOS ${digits(of('iosDatabaseMicros'))} µs, web ${digits(of('webDatabaseMicros'))} µs`,
  },
  {
    what: 'a single send, accepted and handed over',
    needs: ['sendWorkerMicros', 'sendDatabaseMicros'],
    show: (of) =>
      `${digits(of('sendWorkerMicros'))} µs of CPU in the worker, ${digits(of('sendDatabaseMicros'))} µs in PostgreSQL`,
  },
  {
    what: 'an event as a row, with indexes and counters',
    needs: ['eventBytes', 'eventWalBytes'],
    show: (of) =>
      `${digits(of('eventBytes'))} bytes on the disk, ${digits(of('eventWalBytes'))} bytes of WAL`,
  },
  {
    what: 'a device, its share of the person included',
    needs: ['deviceBytes'],
    show: (of) => `${digits(of('deviceBytes'))} bytes on the disk`,
  },
  {
    what: 'a frozen event',
    needs: ['frozenBytes', 'frozenPerSecond'],
    show: (of) => `${digits(of('frozenBytes'))} bytes; ${digits(of('frozenPerSecond'))} frozen a second`,
  },
  {
    what: 'questions over 100 million frozen events, a tenth of a day below',
    needs: ['quickestQuestionMs', 'slowestQuestionMs'],
    show: (of) =>
      `${digits(of('quickestQuestionMs') / 1000)} to ${digits(of('slowestQuestionMs') / 1000)} seconds`,
  },
]

const EVENTS_A_DAY = 1e9
const PEAK_TIMES = 3
const SUBSCRIBERS = 1e8
const AVERAGE = EVENTS_A_DAY / 86_400
const PEAK = AVERAGE * PEAK_TIMES
const ROWS_DAYS = 14
const BROADCAST_PER_SECOND = SUBSCRIBERS / 3600
const SENDS_PER_SECOND = 1000

const RECKONED_INTRODUCTION = `What follows for ${digits(SUBSCRIBERS / 1e6)} million subscribers and ${digits(EVENTS_A_DAY / 1e6)} million events a day is arithmetic, not a measurement, and neither is the peak of three times the average:`

const RECKONED_HEAD = `| | reckoning | result |
|---|---|---|
| events a second, on average | ${digits(EVENTS_A_DAY)} / 86 400 | ${digits(AVERAGE)} |
| events a second, at the peak | ${PEAK_TIMES} × ${digits(AVERAGE)} | ${digits(PEAK)} |
| messages a second of a broadcast to everybody in one hour | ${digits(SUBSCRIBERS)} / 3600 | ${digits(BROADCAST_PER_SECOND)} |`

/** The way and its result. */
const RECKONED: readonly Row<readonly [string, string]>[] = [
  cores('cores of the primary for events in calls of 1000', PEAK, ['entryDatabaseMicros']),
  cores('API cores for them', PEAK, ['entryApiMicros']),
  cores('cores, API, workers and PostgreSQL, if each event is a call', PEAK, ['callMicros']),
  {
    what: 'an event in a call of its own costs',
    needs: ['callMicros', 'entryDatabaseMicros', 'entryApiMicros'],
    show: (of) => {
      const each = of('entryDatabaseMicros') + of('entryApiMicros')
      return [
        `${digits(of('callMicros'))} / ${digits(each)} µs`,
        `${digits(of('callMicros') / each)} times one in a call of 1000`,
      ]
    },
  },
  disk('disk for a day of rows', [EVENTS_A_DAY], 'eventBytes'),
  disk(
    `disk for ${ROWS_DAYS} days of rows, on each database machine`,
    [EVENTS_A_DAY, ROWS_DAYS],
    'eventBytes',
  ),
  disk('disk for a year of rows, on each database machine', [EVENTS_A_DAY, 365], 'eventBytes'),
  network('network to each standby for events, at the peak', PEAK, 'eventWalBytes'),
  disk(`disk for ${digits(SUBSCRIBERS / 1e6)} million subscriptions`, [SUBSCRIBERS], 'deviceBytes'),
  disk('event files of a day', [EVENTS_A_DAY], 'frozenBytes'),
  disk('event files of a year', [EVENTS_A_DAY, 365], 'frozenBytes'),
  {
    what: 'freezing a day of events',
    needs: ['frozenPerSecond'],
    show: (of) => [
      `${digits(EVENTS_A_DAY)} / ${digits(of('frozenPerSecond'))}`,
      `${digits(EVENTS_A_DAY / of('frozenPerSecond') / 3600)} hours`,
    ],
  },
  cores('worker cores for the broadcast, Android or iOS', BROADCAST_PER_SECOND, [
    'androidWorkerMicros',
    'iosWorkerMicros',
  ]),
  cores('worker cores for it, web', BROADCAST_PER_SECOND, ['webWorkerMicros']),
  cores('cores of the primary for it, Android, iOS or web', BROADCAST_PER_SECOND, [
    'androidDatabaseMicros',
    'iosDatabaseMicros',
    'webDatabaseMicros',
  ]),
  network('network to each standby for the broadcast', BROADCAST_PER_SECOND, 'millionWalBytes'),
  cores(`cores of the primary for ${digits(SENDS_PER_SECOND)} single sends a second`, SENDS_PER_SECOND, [
    'sendDatabaseMicros',
  ]),
  {
    what: 'a single send costs PostgreSQL',
    needs: ['sendDatabaseMicros', 'millionDatabaseMicros'],
    show: (of) => [
      `${digits(of('sendDatabaseMicros'))} / ${digits(of('millionDatabaseMicros'))} µs`,
      `${digits(of('sendDatabaseMicros') / of('millionDatabaseMicros'))} times a message of a broadcast to a million`,
    ],
  },
]

function cores(what: string, perSecond: number, needs: Row<string>['needs']): Row<readonly [string, string]> {
  const each = (write: (name: GrowName) => string): string => needs.map(write).join(' or ')
  return {
    what,
    needs,
    show: (of) => [
      `${digits(perSecond)} × ${each((name) => digits(of(name)))} µs`,
      each((name) => digits((perSecond * of(name)) / 1e6)),
    ],
  }
}

function disk(what: string, counts: readonly number[], name: GrowName): Row<readonly [string, string]> {
  const count = counts.reduce((all, each) => all * each, 1)
  return {
    what,
    needs: [name],
    show: (of) => [`${[...counts, of(name)].map(digits).join(' × ')} bytes`, bytes(count * of(name))],
  }
}

function network(what: string, perSecond: number, name: GrowName): Row<readonly [string, string]> {
  return {
    what,
    needs: [name],
    show: (of) => [
      `${digits(perSecond)} × ${digits(of(name))} bytes × 8 bits`,
      `${digits((perSecond * of(name) * 8) / 1e6)} Mbit/s`,
    ],
  }
}

function bytes(count: number): string {
  return count >= 1e12 ? `${digits(count / 1e12)} TB` : `${digits(count / 1e9)} GB`
}

/** Three digits, and the thousands apart from ten thousand on. */
function digits(value: number): string {
  if (value < 1000) return Number.isInteger(value) ? String(value) : shown(value)
  const short = String(Number(value.toPrecision(3)))
  if (value < 10_000) return short
  return short.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ' ')
}
