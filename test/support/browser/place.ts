import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Certificate, makeCertificate } from '../../../src/sandbox/certificate.ts'
import { freshDatabase, type TestBrand } from '../database/database.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../processes/beckon.ts'
import { Autopush } from './autopush.ts'
import { GCM_ORIGIN, Gcm } from './gcm.ts'

/** Everything around the browsers: their push services, and a Beckon that reaches them. */
export type Place = {
  readonly certificate: Certificate
  readonly gcm: Gcm
  readonly autopush: Autopush
  readonly beckon: RunningBeckon
  readonly newBrand: () => Promise<TestBrand>
  /** A new empty folder that goes with the test. */
  readonly newFolder: () => Promise<string>
}

const GCM_HOST = new URL(GCM_ORIGIN).host

export async function startPlace(context: TestContext): Promise<Place> {
  const certificate = makeCertificate(Date.now(), [GCM_HOST])
  const gcm = new Gcm(certificate)
  const autopush = new Autopush(certificate)
  await Promise.all([gcm.listen(), autopush.listen()])
  endWith(context, async () => void (await Promise.all([gcm.close(), autopush.close()])))

  const newFolder = async (): Promise<string> => folderOf(context)
  const trusted = join(await newFolder(), 'push-services.pem')
  await writeFile(trusted, certificate.cert)
  const detour = pathToFileURL(join(import.meta.dirname, 'detour.ts'))
  detour.search = String(
    new URLSearchParams({ host: GCM_HOST, port: gcm.endpoint.place.split(':')[1] ?? '' }),
  )

  const fresh = await freshDatabase()
  endWith(context, fresh.drop)
  const beckon = await startBeckon(context, {
    DATABASE_URL: fresh.url,
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_PUSH_HOSTS: [GCM_HOST, autopush.endpoint.place].join(','),
    NODE_EXTRA_CA_CERTS: trusted,
    NODE_OPTIONS: `--import=${detour.href}`,
  })
  return { certificate, gcm, autopush, beckon, newBrand: fresh.brand, newFolder }
}

/** Browsers leave files behind for a moment after their end. */
async function folderOf(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-browser-'))
  endWith(context, async () => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}
