import { resolve } from 'node:path'
import { integer, type ParseSetting, text } from './setting.ts'
import type { Read } from './setting-row.ts'

/** The bucket of an object store, and the beginning of all names in it. */
export type BucketUrl = { readonly bucket: string; readonly prefix: string }

/** An S3-compatible object store as the place of event files. Relative paths begin at `home`. */
export function eventStoreSettings(read: Read, home: string) {
  return {
    eventFilesUrl: read<BucketUrl | null>({
      name: 'BECKON_EVENT_FILES_URL',
      parse: bucketUrl(),
      default: null,
      unset: 'none',
      meaning:
        'The bucket for frozen weeks of events in an S3-compatible object store, in place of BECKON_EVENT_FILES_DIR: s3://bucket or s3://bucket/prefix. The prefix belongs to one Beckon alone. Needs the two keys.',
    }),
    eventFilesEndpoint: read<string | null>({
      name: 'BECKON_EVENT_FILES_ENDPOINT',
      parse: serverUrl(),
      default: null,
      unset: 'that of Amazon S3 in the region',
      meaning:
        'The address of the object store, such as https://minio.example:9000. It may be an address inside your network. The bucket is a part of the path.',
    }),
    eventFilesRegion: read({
      name: 'BECKON_EVENT_FILES_REGION',
      parse: word(),
      default: 'us-east-1',
      meaning: 'The region of the bucket.',
    }),
    eventFilesKeyId: read<string | null>({
      name: 'BECKON_EVENT_FILES_KEY_ID',
      parse: word(),
      default: null,
      unset: 'none',
      meaning: 'The id of the access key of the object store.',
    }),
    eventFilesSecretKey: read<string | null>({
      name: 'BECKON_EVENT_FILES_SECRET_KEY',
      parse: text({ charsMin: 8, charsMax: 1000, isSecret: true }),
      default: null,
      unset: 'none',
      meaning:
        'The secret of the access key of the object store. It may read, write, delete and list the objects under the prefix, and needs nothing else.',
    }),
    eventFilesCacheDir: read<string | null>({
      name: 'BECKON_EVENT_FILES_CACHE_DIR',
      parse: (value) => ({ ok: true, value: resolve(home, value) }),
      default: null,
      unset: '`event-files` in the data folder',
      meaning: 'The folder of this machine for copies of objects that questions read.',
    }),
    eventFilesCacheMib: read({
      name: 'BECKON_EVENT_FILES_CACHE',
      parse: integer(64, 16_777_216),
      default: 4096,
      meaning:
        'MiB of objects that are kept on this machine. Those that were not read for the longest time go first. A question that needs more is answered from rows, or refused if some of its events have none (BECKON_EVENT_ROWS_DAYS).',
    }),
  }
}

/** The settings that only make sense together, in a sentence each. */
export function eventStoreConflicts(
  config: ReturnType<typeof eventStoreSettings> & { readonly eventFilesDir: string | null },
): readonly string[] {
  const { eventFilesDir, eventFilesUrl, eventFilesKeyId, eventFilesSecretKey } = config
  if (eventFilesUrl === null) return []
  const areKeysGiven = eventFilesKeyId !== null && eventFilesSecretKey !== null
  return [
    ...(eventFilesDir === null
      ? []
      : ['Only one of BECKON_EVENT_FILES_DIR and BECKON_EVENT_FILES_URL can be set.']),
    ...(areKeysGiven
      ? []
      : ['BECKON_EVENT_FILES_URL needs BECKON_EVENT_FILES_KEY_ID and BECKON_EVENT_FILES_SECRET_KEY.']),
  ]
}

/** Rows may be dropped only where files are as safe as they were. */
export function eventRowsConflicts(config: {
  readonly eventRowsDays: number | null
  readonly eventFilesDir: string | null
  readonly eventFilesUrl: BucketUrl | null
  readonly eventFilesShared: 'on' | 'off'
  readonly databaseUrl: string | null
}): readonly string[] {
  const { eventRowsDays, eventFilesDir, eventFilesUrl, eventFilesShared, databaseUrl } = config
  if (eventRowsDays === null || eventFilesUrl !== null) return []
  if (eventFilesDir === null)
    return ['BECKON_EVENT_ROWS_DAYS needs BECKON_EVENT_FILES_URL or BECKON_EVENT_FILES_DIR.']
  if (databaseUrl === null || eventFilesShared === 'on') return []
  return [
    'BECKON_EVENT_ROWS_DAYS with DATABASE_URL needs BECKON_EVENT_FILES_URL, or a folder that is as safe as the database: BECKON_EVENT_FILES_SHARED=on.',
  ]
}

function bucketUrl(): ParseSetting<BucketUrl> {
  return (given) => {
    const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.*'()=/-]{0,100}))?$/.exec(given)
    const [, bucket = '', path = ''] = match ?? []
    const prefix = path.replace(/\/+$/, '')
    const isPlain = prefix === '' || prefix.split('/').every((step) => !['', '.', '..'].includes(step))
    if (match !== null && isPlain) return { ok: true, value: { bucket, prefix } }
    return { ok: false, expected: 'an address such as s3://bucket or s3://bucket/prefix' }
  }
}

/** The text is never repeated in the answer, because somebody may have put a password into it. */
function serverUrl(): ParseSetting<string> {
  return (given) => {
    const server = URL.parse(given)
    const isPlain = server !== null && [server.origin, `${server.origin}/`].includes(given)
    if (isPlain && ['http:', 'https:'].includes(server.protocol)) return { ok: true, value: server.origin }
    return { ok: false, expected: 'an address such as https://minio.example:9000, without a path' }
  }
}

function word(): ParseSetting<string> {
  return (given) =>
    /^[\x21-\x7e]{1,200}$/.test(given)
      ? { ok: true, value: given }
      : { ok: false, expected: '1 to 200 printable characters without a space' }
}
