import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, call, keyHeaders } from '../processes/server.ts'

export async function askSeries(
  port: number,
  brand: TestBrand,
  query: Readonly<Record<string, string>>,
): Promise<Answer> {
  const path = `/api/v1/series?${new URLSearchParams(query).toString()}`
  return call(port, { path, headers: keyHeaders(brand) })
}

export type Line = {
  readonly metric: string
  readonly part: string | null
  readonly counts: readonly number[]
  readonly total: unknown
  readonly is_estimated: unknown
}

export function seriesIn({ status, body }: Answer): JsonObject {
  assert.equal(status, 200, JSON.stringify(body))
  const { series } = body
  assert.ok(isJsonObject(series))
  return series
}

export function linesIn(answer: Answer): readonly Line[] {
  const { lines } = seriesIn(answer)
  assert.ok(Array.isArray(lines))
  return lines.map((line: unknown) => {
    assert.ok(isJsonObject(line) && Array.isArray(line['counts']))
    return {
      metric: String(line['metric']),
      part: typeof line['part'] === 'string' ? line['part'] : null,
      counts: line['counts'].map(Number),
      total: line['total'] === null ? null : Number(line['total']),
      is_estimated: line['is_estimated'],
    }
  })
}

/** The sums of the lines, by metric, or by metric and part. */
export function totalsIn(answer: Answer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    linesIn(answer).map(({ metric, part, total }) => [part === null ? metric : `${metric} ${part}`, total]),
  )
}
