import { join } from 'node:path'
import { S3Store } from '../../runtime/object-store/s3-store.ts'
import { type FilePlace, folderPlace, storePlace } from './file-place.ts'

/** The settings that say where event files are kept. */
export type PlaceSettings = {
  readonly dataDir: string
  readonly eventFilesDir: string | null
  readonly eventFilesUrl: { readonly bucket: string; readonly prefix: string } | null
  readonly eventFilesEndpoint: string | null
  readonly eventFilesRegion: string
  readonly eventFilesKeyId: string | null
  readonly eventFilesSecretKey: string | null
  readonly eventFilesCacheDir: string | null
}

/** The place of event files, and the object store if it is one; null if weeks are not frozen. */
export function openPlace(
  settings: PlaceSettings,
): { readonly place: FilePlace; readonly store: S3Store | null } | null {
  const { dataDir, eventFilesDir, eventFilesUrl, eventFilesCacheDir } = settings
  if (eventFilesDir !== null) return { place: folderPlace(eventFilesDir), store: null }
  if (eventFilesUrl === null) return null
  const store = openStore({ ...settings, eventFilesUrl })
  return { place: storePlace(eventFilesCacheDir ?? join(dataDir, 'event-files'), store), store }
}

/** The keys are there when there is a bucket (`eventStoreConflicts`). */
function openStore(
  settings: PlaceSettings & { readonly eventFilesUrl: NonNullable<PlaceSettings['eventFilesUrl']> },
): S3Store {
  const { eventFilesEndpoint, eventFilesRegion: region, eventFilesUrl } = settings
  return new S3Store({
    ...eventFilesUrl,
    server: eventFilesEndpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    keys: { id: settings.eventFilesKeyId ?? '', secret: settings.eventFilesSecretKey ?? '' },
  })
}
