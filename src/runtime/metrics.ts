import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Measure as DocumentedMeasure, HistogramMeasure } from './measures.ts'

type Measure<Label extends string> = Omit<DocumentedMeasure<Label>, 'watch'>

/** Adds to a counter, sets a gauge, or puts one observation into a histogram. */
export type Meter<Label extends string> = (labels: LabelValues<Label>, value: number) => void

type LabelValues<Label extends string> = { readonly [name in Label]: string }

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The metrics of one process. The same name gives the same meter again. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #meters = new Map<string, Meter<string>>()

  /**
   * Every series has the name of its process as a label. A sum over processes would fall when one restarts, which
   * Prometheus would read as a reset of them all.
   */
  constructor(processName: string) {
    this.#registry.setDefaultLabels({ process: processName })
    collectDefaultMetrics({ register: this.#registry })
  }

  counter<Label extends string>(measure: Measure<Label>): Meter<Label> {
    return this.#once(measure.name, () => {
      const counter = new Counter(this.#describe(measure))
      return (labels, value) => counter.inc(labels, value)
    })
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
