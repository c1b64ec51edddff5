import { LANES } from '../../../src/rules/lanes.ts'
import { PROVIDER_ERRORS } from '../../../src/rules/provider-errors.ts'
import { type HistogramMeasure, MEASURES, type Measure } from '../../../src/runtime/measures.ts'

/** docs/metrics.md, from the table of metrics; a test holds the file to it. */
export function renderMetricsPage(): string {
  const measures: readonly (Measure<string> | HistogramMeasure<string>)[] = Object.values(MEASURES)
  return [
    ...HEAD,
    ...measures.map(
      ({ name, labels, help, watch }) =>
        `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} | ${watch} |`,
    ),
    ...tableOf('Lanes', LANES_HEAD, LANES),
    ...tableOf('Reasons of provider errors', REASONS_HEAD, PROVIDER_ERRORS),
    ...TAIL,
    '',
  ].join('\n')
}

function tableOf(
  title: string,
  head: readonly string[],
  rows: Readonly<Record<string, string>>,
): readonly string[] {
  return [
    '',
    `## ${title}`,
    '',
    ...head,
    ...Object.entries(rows).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  ]
}

const HEAD = [
  '# Metrics',
  '',
  '`GET /metrics` answers with the metrics of all processes of one supervisor, in the text format of Prometheus. This page is',
  'rendered from the tables in `src/runtime/measures.ts`, `src/rules/lanes.ts` and `src/rules/provider-errors.ts`; after a',
  'change there, run `npm run docs`. [Operating Beckon](operating.md#monitoring) shows how to scrape them, with a dashboard for',
  'Grafana and alert rules.',
  '',
  '- Every series has the label `process`: `api-1`, `worker-1`, `supervisor`. Several processes have series of the same name: take',
  '  the `sum` of counters, and the `max` of what each worker reads in the database (`beckon_backlog…`, `beckon_channels_paused`,',
  '  `beckon_sending_held`).',
  '- No label has a value that a caller chooses, and none names a brand, so their number is bounded.',
  '- `/metrics` asks no database. Workers read the backlog every 8 seconds, in one statement. If the database is away,',
  '  `/metrics` still answers, with the figures of before, and `beckon_backlog_read_timestamp_seconds` stands still.',
  '- A metric whose name ends in `_seconds` and that is measured many times is a histogram, with the series `_bucket`, `_sum` and',
  '  `_count`.',
  '- Each process also has the usual metrics of Node: `process_…` and `nodejs_…`. Watch for a',
  '  `nodejs_eventloop_lag_p99_seconds` above 0.1 for a long time. The lag is measured from a scrape on, until five minutes pass',
  '  without another one; the first scrape reads zeros.',
  '',
  '| metric | labels | meaning | watch for |',
  '|---|---|---|---|',
]

const LANES_HEAD = [
  'The label `lane` of `beckon_backlog` and `beckon_backlog_oldest_seconds`. Work that is not due yet, or that a worker has in',
  'hand, does not wait.',
  '',
  '| lane | what waits, and since when |',
  '|---|---|',
]

const REASONS_HEAD = [
  'The label `reason` of `beckon_provider_errors_total`. The exact reason stands at each delivery and at the channel of the brand.',
  '',
  '| reason | meaning |',
  '|---|---|',
]

const TAIL = [
  '',
  '## Pools',
  '',
  'The label `pool`. Each API and worker process has these pools of connections to the database: `requests` (one brand at a time),',
  '`engine` (work for all brands, and the look-up of keys) and `team` (members who sign in). A worker also has `queues` (claims of work).',
]
