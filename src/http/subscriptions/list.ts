import type { ExtraHosts } from '../../domain/push/push-endpoint.ts'
import { accept, type Result } from '../../domain/result.ts'
import type { Registration } from '../../domain/subscriptions/subscription.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { readCsv } from '../../intake/lists/csv.ts'
import type { ParsedRow } from '../../intake/lists/import.ts'
import { readNdjson } from '../../intake/lists/ndjson.ts'
import type { SubscriptionImport } from '../../intake/subscriptions/import.ts'
import type { Platform } from '../../rules/platforms.ts'
import { parseSubscriptionBody } from './body.ts'

export type SubscriptionList = {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly format: 'csv' | 'ndjson'
  /** For rows that name none. */
  readonly platform: Platform | null
  readonly pushHosts: ExtraHosts
}

/** A list of devices as it arrives. A row of NDJSON is the body that registers the device. */
export function openSubscriptionList(list: SubscriptionList): Pick<SubscriptionImport, 'rows' | 'parse'> {
  const { bytes, format, platform, pushHosts } = list
  return {
    rows: format === 'csv' ? readCsv(bytes, bodyOfCsvRecord) : readNdjson(bytes),
    parse: (body) => parseRow(withPlatform(body, platform), pushHosts),
  }
}

function parseRow(body: unknown, pushHosts: ExtraHosts): Result<ParsedRow<Registration>> {
  const parsed = parseSubscriptionBody(body, pushHosts)
  if (!parsed.ok) return parsed
  const { registration, warnings } = parsed.value
  return accept({ value: registration, warnings })
}

function withPlatform(body: unknown, platform: Platform | null): unknown {
  return platform === null || !isJsonObject(body) ? body : { platform, ...body }
}

/**
 * One line of an imported CSV file as the body that registers the same device. The columns are the fields of the body;
 * `endpoint`, `p256dh` and `auth` stand side by side, and tags are separated by semicolons. An empty cell is absent.
 */
export function bodyOfCsvRecord(record: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const cells = Object.entries(record)
    .map(([column, cell]) => [column.trim(), cell.trim()] as const)
    .filter(([, cell]) => cell !== '')
  const { endpoint, p256dh, auth, tags, ...rest } = Object.fromEntries(cells)
  const hasWeb = [endpoint, p256dh, auth].some((cell) => cell !== undefined)
  return {
    ...rest,
    ...(hasWeb ? { subscription: { endpoint, keys: { p256dh, auth } } } : {}),
    ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
  }
}

function tagsOf(cell: string): readonly string[] {
  return cell
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
