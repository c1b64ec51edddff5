import type { SeriesLine } from '../../domain/series/lines.ts'
import { edgeTexts } from '../../domain/series/spans.ts'
import { Type } from '../schema/schema.ts'
import { TEXT_OR_NULL } from '../schema/view.ts'
import type { ParsedSeries } from './query.ts'

export function renderSeries({ by, zone, edges }: ParsedSeries, lines: readonly SeriesLine[]): object {
  const texts = edgeTexts(zone, edges)
  return {
    by,
    time_zone: zone,
    from: texts[0],
    to: texts.at(-1),
    starts: texts.slice(0, -1),
    lines: lines.map(({ metric, part, counts, total, isEstimated }) => ({
      metric,
      part: part === '' || part === '0' ? null : part,
      counts,
      total,
      is_estimated: isEstimated,
    })),
  }
}

const EDGE = Type.String({ format: 'date-time' })

export const SERIES_VIEW = Type.Object({
  by: Type.String(),
  time_zone: Type.String(),
  from: EDGE,
  to: EDGE,
  starts: Type.Array(EDGE, { description: 'The beginning of each span, with the offset of the zone.' }),
  lines: Type.Array(
    Type.Object({
      metric: Type.String(),
      part: Type.Union(TEXT_OR_NULL.anyOf, {
        description:
          'The platform, campaign, journey, step or name; null for none, or when there are no groups.',
      }),
      counts: Type.Array(Type.Integer(), {
        description: 'One number for each span; 0 where nothing happened.',
      }),
      total: Type.Union([Type.Integer(), Type.Null()], {
        description: 'The sum; null for subscriptions and people, whose numbers do not add up.',
      }),
      is_estimated: Type.Boolean({
        description:
          'People are exact by day and by week in the zone of the brand, and estimated otherwise. Everything else is exact.',
      }),
    }),
  ),
})
