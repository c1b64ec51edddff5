import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { EVENT_LOOP_LAGS, EventLoopLag } from './event-loop-lag.ts'
import type { Measure as DocumentedMeasure, HistogramMeasure } from './measures.ts'

type Measure<Label extends string> = Omit<DocumentedMeasure<Label>, 'watch'>

/** Adds to a counter, sets a gauge, or puts one observation into a histogram. */
export type Meter<Label extends string> = (labels: LabelValues<Label>, value: number) => void

/** A number that is added to by whoever counts. */
export type MeterTally = { count: number }

type LabelValues<Label extends string> = { readonly [name in Label]: string }

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The metrics of one process. The same name gives the same meter again. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #meters = new Map<string, Meter<string>>()
  readonly #tallies = new Map<string, readonly MeterTally[]>()

  /**
   * Every series has the name of its process as a label. A sum over processes would fall when one restarts, which
   * Prometheus would read as a reset of them all.
   */
  constructor(processName: string) {
    this.#registry.setDefaultLabels({ process: processName })
    collectNodeMetrics(this.#registry)
  }

  counter<Label extends string>(measure: Measure<Label>): Meter<Label> {
    return this.#once(measure.name, () => {
      const counter = new Counter(this.#describe(measure))
      return (labels, value) => counter.inc(labels, value)
    })
  }

  /**
   * A counter for what happens with every message: numbers in memory, one for each of the labels, which are told when somebody asks for the
   * metrics. To tell the library each time takes a microsecond.
   */
  tallies<Label extends string>(
    measure: Measure<Label>,
    rows: readonly LabelValues<Label>[],
  ): readonly MeterTally[] {
    const found = this.#tallies.get(measure.name)
    if (found !== undefined) return found
    const tallies = rows.map(() => ({ count: 0 }))
    const told = rows.map(() => 0)
    const collect = (): void => {
      for (const [place, labels] of rows.entries()) {
        const { count } = tallies[place] ?? { count: 0 }
        counter.inc(labels, count - (told[place] ?? 0))
        told[place] = count
      }
    }
    const counter: Counter = new Counter({ ...this.#describe(measure), collect })
    this.#tallies.set(measure.name, tallies)
    return tallies
  }

  gauge<Label extends string>(measure: Measure<Label>): Meter<Label> {
    return this.#once(measure.name, () => {
      const gauge = new Gauge(this.#describe(measure))
      return (labels, value) => gauge.set(labels, value)
    })
  }

  /** A gauge whose values are read when somebody asks for the metrics; `read` answers at once, from memory. */
  watched<Label extends string>(
    measure: Measure<Label>,
    read: () => readonly { readonly labels: LabelValues<Label>; readonly value: number }[],
  ): void {
    this.#once(measure.name, () => {
      const collect = (): void => {
        for (const { labels, value } of read()) gauge.set(labels, value)
      }
      const gauge = new Gauge({ ...this.#describe(measure), collect })
      return (labels, value) => gauge.set(labels, value)
    })
  }

  histogram<Label extends string>(measure: Omit<HistogramMeasure<Label>, 'watch'>): Meter<Label> {
    return this.#once(measure.name, () => {
      const histogram = new Histogram({ ...this.#describe(measure), buckets: [...measure.buckets] })
      return (labels, value) => histogram.observe(labels, value)
    })
  }

  /** The Prometheus text of this process. */
  async render(): Promise<string> {
    return this.#registry.metrics()
  }

  #once(name: string, make: () => Meter<string>): Meter<string> {
    const meter = this.#meters.get(name) ?? make()
    this.#meters.set(name, meter)
    return meter
  }

  #describe({ name, help, labels }: Measure<string>) {
    return { name, help, labelNames: [...labels], registers: [this.#registry] }
  }
}

/** Merges several Prometheus texts into one: the lines of a metric stand together under one HELP and TYPE. */
export function mergeMetrics(texts: readonly string[]): string {
  const blocks = new Map<string, { readonly head: readonly string[]; readonly series: string[] }>()
  for (const block of texts.flatMap((text) => text.trim().split(/\n(?=# HELP )/))) {
    const lines = block.split('\n').filter((line) => line !== '')
    const head = lines.filter((line) => line.startsWith('# '))
    const series = lines.slice(head.length)
    const known = blocks.get(head.join('\n'))
    if (known === undefined) blocks.set(head.join('\n'), { head, series })
    else known.series.push(...series)
  }
  return [...blocks.values()].map(({ head, series }) => [...head, ...series, ''].join('\n')).join('\n')
}

/**
 * Collects the metrics of Node itself. The library's own measuring of the event loop wakes a process a hundred times a
 * second, so it is put off for good, and done here under the same names.
 */
function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  registry.removeSingleMetric('nodejs_eventloop_lag_stddev_seconds')
  const lag = new EventLoopLag()
  // All values of one look are taken at the first of the gauges.
  let seen: readonly number[] = []
  for (const [place, { part, help }] of EVENT_LOOP_LAGS.entries()) {
    const name = `nodejs_eventloop_lag_${part}_seconds`
    registry.removeSingleMetric(name)
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: () => {
        if (place === 0) seen = lag.read()
        gauge.set(seen[place] ?? 0)
      },
    })
  }
}

/** The longest time that a timer takes. */
const NEVER_MS = 2 ** 31 - 1
