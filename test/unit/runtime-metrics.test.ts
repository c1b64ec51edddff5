import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Metrics, mergeMetrics } from '../../src/runtime/metrics.ts'
import { renderMetricsPage } from '../support/reference/metrics-page.ts'

const DONE = { name: 'beckon_done_total', help: 'Things done.', labels: ['kind'] } as const

test('asking twice for a name gives the same meter', async () => {
  const metrics = new Metrics('api-1')
  metrics.counter(DONE)({ kind: 'a' }, 1)
  metrics.counter(DONE)({ kind: 'a' }, 2)
  assert.match(await metrics.render(), /beckon_done_total\{kind="a",process="api-1"\} 3\n/)
})

test('what is tallied in memory is told when somebody asks, once, and from the start', async () => {
  const metrics = new Metrics('worker-1')
  const [first] = metrics.tallies(DONE, [{ kind: 'a' }, { kind: 'b' }])
  assert.match(await metrics.render(), /kind="a",process="worker-1"\} 0\n.*kind="b",process="worker-1"\} 0\n/)
  assert.ok(first !== undefined)
  first.count += 2
  const [again] = metrics.tallies(DONE, [{ kind: 'a' }, { kind: 'b' }])
  assert.equal(again, first)
  for (let look = 0; look < 2; look += 1) {
    assert.match(await metrics.render(), /beckon_done_total\{kind="a",process="worker-1"\} 2\n/)
  }
  first.count += 1
  assert.match(await metrics.render(), /beckon_done_total\{kind="a",process="worker-1"\} 3\n/)
})

test('the texts of several processes merge into one, each metric under one heading', async () => {
  const texts = await Promise.all(
    ['api-1', 'worker-1'].map(async (name) => {
      const metrics = new Metrics(name)
      metrics.counter(DONE)({ kind: 'a' }, 1)
      metrics.histogram({ ...DONE, name: 'beckon_seconds', buckets: [1] })({ kind: 'a' }, 0.5)
      return metrics.render()
    }),
  )
  const merged = mergeMetrics(texts)
  const lines = merged.split('\n')
  const heads = lines.filter((line) => line.startsWith('# TYPE '))
  assert.equal(new Set(heads).size, heads.length)
  for (const name of ['api-1', 'worker-1']) {
    assert.ok(lines.includes(`beckon_done_total{kind="a",process="${name}"} 1`))
  }
  assert.deepEqual(series(merged).toSorted(), texts.flatMap(series).toSorted())
  const at = lines.indexOf('# TYPE beckon_done_total counter')
  assert.deepEqual(
    lines.slice(at + 1, at + 3).map((line) => line.slice(0, 17)),
    Array(2).fill('beckon_done_total'),
  )
})

test('nothing merges into nothing', () => {
  assert.equal(mergeMetrics([]), '')
})

function series(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('a watched gauge is read when somebody asks', async () => {
  const metrics = new Metrics('api-1')
  let value = 1
  metrics.watched(DONE, () => [{ labels: { kind: 'a' }, value }])
  value = 2
  assert.match(await metrics.render(), /beckon_done_total\{kind="a",process="api-1"\} 2\n/)
})

test('docs/metrics.md is what the tables say', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8')
  assert.equal(page, renderMetricsPage())
})
