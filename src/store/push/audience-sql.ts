import type { Filter } from '../../domain/segments/segment.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Binds } from '../bind.ts'
import type { SegmentReach } from '../segments/comparison-sql.ts'
import { segmentSql } from '../segments/sql.ts'

/** The audience of a notification, before any subscription is looked up. */
export type AudienceQuery = {
  readonly brandId: number
  readonly platform: Platform
  readonly tag: string | null
  /** The filter of the segment; null for everybody. */
  readonly filter: Filter | null
  /** How many subscriptions the query is about; `everybody` without it. */
  readonly reach?: SegmentReach
}

/**
 * The condition that a live subscription `s` belongs to an audience. Run it as the engine, which `segmentSql`
 * requires.
 */
export function audienceSql(query: AudienceQuery, binds: Binds): string {
  const brand = binds.add(query.brandId)
  const scope = { brand, binds, now: 'now()', reach: query.reach ?? 'everybody' }
  // One filter and not two, because each filter would start from an index of its own.
  const wanted: readonly Filter[] = [
    ...(query.tag === null ? [] : [{ kind: 'tag', tag: query.tag } as const]),
    ...(query.filter === null ? [] : [query.filter]),
  ]
  const parts = [
    `s.brand_id = ${brand}`,
    `s.platform = ${binds.add(query.platform)}`,
    `s.state = 'live'`,
    ...(wanted.length === 0 ? [] : [segmentSql({ kind: 'all', of: wanted }, scope)]),
  ]
  return parts.join(' and ')
}
