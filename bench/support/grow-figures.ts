import type { Figure } from './figures.ts'
import { median } from './median.ts'
import type { Results } from './results.ts'

/** The results of a job; null if it was not run yet. */
export type ReadResults = (job: string) => Results | null

/** A number of the report that the arithmetic of docs/cluster.md begins with: the job that measures it, and where it is in its results. */
type GrowFigure = { readonly job: string; readonly of: (figures: readonly Figure[]) => number | undefined }

const SINGLE_SEND = 'CPU of one of the single notifications from /send, accepted and handed over'

export const GROW_FIGURES = {
  eventsPerSecond: { job: 'events', of: middleOf('1000-entry calls') },
  // The milliseconds of a call with a thousand entries are the microseconds of one.
  entryDatabaseMicros: { job: 'events', of: partOf('CPU of a 1000-entry call', 'PostgreSQL') },
  entryApiMicros: { job: 'events', of: partOf('CPU of a 1000-entry call', 'the API process') },
  callMicros: { job: 'rollups', of: middleOf('CPU of an event of 1-entry calls') },
  millionSeconds: { job: 'devices', of: middleOf('wall time of a broadcast to 1,000,000 devices') },
  millionWalBytes: { job: 'devices', of: middleOf('WAL of a message among 1,000,000') },
  millionDatabaseMicros: { job: 'devices', of: partOf('CPU of a message among 1,000,000', 'PostgreSQL') },
  androidWorkerMicros: { job: 'delivery', of: partOf('android: a message', 'worker') },
  iosWorkerMicros: { job: 'delivery', of: partOf('ios: a message', 'worker') },
  webWorkerMicros: { job: 'delivery', of: partOf('web: a message', 'worker') },
  androidDatabaseMicros: { job: 'delivery', of: partOf('android: a message', 'PostgreSQL') },
  iosDatabaseMicros: { job: 'delivery', of: partOf('ios: a message', 'PostgreSQL') },
  webDatabaseMicros: { job: 'delivery', of: partOf('web: a message', 'PostgreSQL') },
  sendWorkerMicros: { job: 'handover', of: partOf(SINGLE_SEND, 'worker') },
  sendDatabaseMicros: { job: 'handover', of: partOf(SINGLE_SEND, 'PostgreSQL') },
  eventBytes: { job: 'sizes', of: middleOf('an event on the disk') },
  eventWalBytes: { job: 'sizes', of: middleOf('an event in the write-ahead log') },
  deviceBytes: { job: 'sizes', of: middleOf('a device on the disk') },
  frozenBytes: { job: 'analytics', of: middleOf('size of a frozen event') },
  frozenPerSecond: { job: 'analytics', of: middleOf('freezing 10,000,000 events of 1,000,000 people') },
  quickestQuestionMs: { job: 'years', of: (figures) => Math.min(...yearQuestions(figures)) },
  slowestQuestionMs: { job: 'years', of: (figures) => Math.max(...yearQuestions(figures)) },
} as const satisfies Readonly<Record<string, GrowFigure>>

export type GrowName = keyof typeof GROW_FIGURES

/** The numbers that have been measured. */
export type GrowNumbers = Partial<Readonly<Record<GrowName, number>>>

export function readGrowNumbers(read: ReadResults): GrowNumbers {
  const kept = new Map(
    [...new Set(Object.values(GROW_FIGURES).map(({ job }) => job))].map((job) => [job, figuresOf(read(job))]),
  )
  return Object.fromEntries(
    Object.entries(GROW_FIGURES).flatMap(([name, { job, of }]) => {
      const value = of(kept.get(job) ?? [])
      return value === undefined || !Number.isFinite(value) ? [] : [[name, value]]
    }),
  )
}

function figuresOf(results: Results | null): readonly Figure[] {
  return (results?.kept ?? []).flatMap((one) => (one.kind === 'figure' ? [one] : []))
}

function middleOf(what: string): GrowFigure['of'] {
  return (figures) => {
    const found = figures.find((figure) => figure.what === what)
    return found === undefined ? undefined : median(found.ours)
  }
}

function partOf(what: string, part: string): GrowFigure['of'] {
  return (figures) => figures.find((figure) => figure.what === what)?.parts?.[part]
}

function yearQuestions(figures: readonly Figure[]): readonly number[] {
  return figures.filter(({ what }) => what.endsWith(', 100,000,000 events')).map(({ ours }) => median(ours))
}
