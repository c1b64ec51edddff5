import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { MEASURES } from '../../src/runtime/measures.ts'
import { freshDatabase } from '../support/database/database.ts'
import { askBeckon } from '../support/processes/ask-beckon.ts'
import { endWith, freshFolder, startBeckon } from '../support/processes/beckon.ts'
import { namesInQuery, seriesIn } from '../support/reference/promql.ts'
import { until } from '../support/until.ts'

const HOME = join(import.meta.dirname, '../..')
const ALERTS = readFileSync(join(HOME, 'deploy/alerts.yaml'), 'utf8')
const DASHBOARD: unknown = JSON.parse(readFileSync(join(HOME, 'deploy/grafana-dashboard.json'), 'utf8'))

type Query = { readonly from: string; readonly text: string; readonly shown: readonly string[] }

/** Every alert, with the lines below it. */
const alerts = ALERTS.split(/^ {6}- alert: /m)
  .slice(1)
  .map((part) => {
    const [name = ''] = part.split('\n')
    const line = (key: string): string => new RegExp(`^ +${key}: (.+)$`, 'm').exec(part)?.[1] ?? ''
    return { name, line, shown: [...part.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label) }
  })

const queries: readonly Query[] = [
  ...alerts.map(({ name, line, shown }) => ({ from: name, text: line('expr'), shown })),
  ...targetsIn(DASHBOARD),
]

/** Everything with an `expr`, however deep it stands in the dashboard. */
function targetsIn(node: unknown, title = 'the dashboard'): readonly Query[] {
  if (typeof node !== 'object' || node === null) return []
  const fields = new Map(Object.entries(node))
  const from = String(fields.get('title') ?? title)
  const text = fields.get('expr')
  const legend = [...String(fields.get('legendFormat') ?? '').matchAll(/\{\{(\w+)\}\}/g)]
  const own = typeof text === 'string' ? [{ from, text, shown: legend.map(([, label = '']) => label) }] : []
  return [...own, ...[...fields.values()].flatMap((value) => targetsIn(value, from))]
}

/** The metrics of a Beckon that has sent a push. Prometheus adds `up`, and two labels to every series. */
let scraped = ''

test('the files for operators use metrics and labels that a working Beckon has', async (context) => {
  const { url: databaseUrl, drop } = await freshDatabase()
  endWith(context, drop)
  const beckon = await startBeckon(context, {
    DATABASE_URL: databaseUrl,
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_SANDBOX: 'on',
  })
  const [send = ''] = beckon.stdout().match(/^ *curl .*\/send .*$/gm) ?? []
  assert.match((await promisify(exec)(send)).stdout, /"audience":1/)
  await until(
    async () => {
      scraped = await (await askBeckon(`${beckon.url}/metrics`)).text()
      return DONE.every((sign) => sign.test(scraped))
    },
    { what: 'metrics of a sent push and of a backlog' },
  )
  const series = seriesIn(scraped)

  await context.test('every query', () => {
    assert.ok(queries.length > 30)
    assert.deepEqual(
      queries.flatMap((query) => strangersIn(query, series)),
      [],
    )
  })

  await context.test('every metric of Beckon is documented, and every documented one is there', () => {
    const page = readFileSync(join(HOME, 'docs/metrics.md'), 'utf8')
    const served = [...scraped.matchAll(/^# TYPE (beckon_\w+) /gm)].map(([, name = '']) => name)
    assert.deepEqual(
      served.filter((name) => !page.includes(`| \`${name}\` |`)),
      [],
    )
    assert.deepEqual(
      served.toSorted(),
      Object.values(MEASURES)
        .map(({ name }) => name)
        .toSorted(),
    )
  })
})

/** The measures that must be there before the names are compared. */
const DONE = [
  /^beckon_backlog\{lane="results"/m,
  /^beckon_loop_wait_seconds_bucket\{/m,
  /^beckon_loop_item_seconds_bucket\{/m,
  /^beckon_attempts_total\{platform="android",verdict="accepted",process="worker-1"\} 1$/m,
  /^beckon_channels_paused\{/m,
]

const OF_PROMETHEUS = ['job', 'instance']
/** Outcomes that a healthy Beckon does not have. */
const UNSEEN_OK = new Set(['outcome'])

function strangersIn(query: Query, series: ReturnType<typeof seriesIn>): readonly string[] {
  const { selectors, groupings } = namesInQuery(query.text)
  const labelsOf = (metric: string): readonly string[] => [
    ...OF_PROMETHEUS,
    ...(series.get(metric)?.keys() ?? []),
    ...(metric.endsWith('_bucket') ? ['le'] : []),
  ]
  const metrics = selectors.map(({ metric }) => metric)
  const found = [
    ...(metrics.length === 0 ? ['no metric'] : []),
    ...metrics.filter((metric) => metric !== 'up' && !series.has(metric)),
    ...selectors.flatMap(({ metric, matchers }) =>
      matchers.flatMap(({ label, operator, value }) => {
        if (!labelsOf(metric).includes(label)) return [`${metric}{${label}}`]
        if (OF_PROMETHEUS.includes(label) || UNSEEN_OK.has(label) || !/^[\w|-]+$/.test(value)) return []
        const values = operator === '=~' ? value.split('|') : [value]
        return values
          .filter((one) => series.get(metric)?.get(label)?.has(one) !== true)
          .map((one) => `${metric}{${label}="${one}"}`)
      }),
    ),
    ...groupings.flatMap(({ labels, metrics: inside }) =>
      labels.flatMap((label) =>
        inside.filter((metric) => !labelsOf(metric).includes(label)).map((metric) => `${metric} by ${label}`),
      ),
    ),
    ...query.shown.filter((label) => !metrics.some((metric) => labelsOf(metric).includes(label))),
  ]
  return found.map((name) => `${query.from}: ${name}`)
}

test('every alert says what happened, what to do, and where docs explain it', () => {
  const page = readFileSync(join(HOME, 'docs/alerts.md'), 'utf8')
  const headings = [...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  assert.deepEqual(
    headings,
    alerts.map(({ name }) => name),
  )
  for (const { name, line } of alerts) {
    assert.ok(line('summary').length > 20 && line('description').length > 20, name)
    assert.equal(line('runbook'), `docs/alerts.md#${name.toLowerCase()}`)
    assert.match(line('labels'), /severity: (?:page|ticket)/)
  }
})

test('a query with an unknown metric, label or value is found', () => {
  const series = seriesIn('beckon_x{lane="a",process="p"} 1\n')
  const ask = (text: string, shown: readonly string[] = []) => strangersIn({ from: 'q', text, shown }, series)
  assert.deepEqual(ask('max by (lane) (beckon_x{lane="a"})', ['lane']), [])
  assert.deepEqual(ask('rate(beckon_y[5m])'), ['q: beckon_y'])
  assert.deepEqual(ask('beckon_x{road="a"}'), ['q: beckon_x{road}'])
  assert.deepEqual(ask('beckon_x{lane=~"a|b"}'), ['q: beckon_x{lane="b"}'])
  assert.deepEqual(ask('sum by (brand) (beckon_x)'), ['q: beckon_x by brand'])
  assert.deepEqual(ask('sum(beckon_x)', ['loop']), ['q: loop'])
  assert.deepEqual(ask('1 + 1'), ['q: no metric'])
})
