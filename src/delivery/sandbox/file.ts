import { once } from 'node:events'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { readAndroidCredential, readIosCredential } from '../../domain/push/credential.ts'
import { parseJson } from '../../domain/values/json.ts'
import type { FindSandbox, SandboxPlaces } from './places.ts'

/**
 * The sandbox of a machine tells the other processes where it is through a file in the data folder. It is read again
 * after a second, because a sandbox that was started again is somewhere else.
 */
export function sandboxFinder(dataDir: string): FindSandbox {
  let known: { readonly places: SandboxPlaces | null; readonly readAt: number } | null = null
  return async () => {
    if (known === null || performance.now() - known.readAt >= FRESH_MS) {
      known = { places: await readPlaces(dataDir), readAt: performance.now() }
    }
    return known.places
  }
}

/** Appears whole, and only its owner may read it: it holds the keys of the sandbox. */
export async function saveSandboxFile(dataDir: string, places: SandboxPlaces): Promise<void> {
  const { certificate, fcm, apns, web, deskUrl } = places
  const written: Written = {
    certificate,
    fcmOrigin: fcm.origin,
    fcmTokenUrl: fcm.tokenUrl,
    fcmCredential: JSON.stringify(fcm.credential),
    apnsOrigin: apns.origin,
    apnsCredential: JSON.stringify(apns.credential),
    webOrigin: web.origin,
    deskUrl,
  }
  const draft = `${fileOf(dataDir)}.${process.pid}`
  await writeFile(draft, JSON.stringify(written), { mode: 0o600 })
  await rename(draft, fileOf(dataDir))
}

export async function removeSandboxFile(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true })
}

/** One that was killed leaves its file behind, and messages would be tried at an address where nobody is. */
export async function removeDeadSandbox(dataDir: string): Promise<void> {
  const places = await readPlaces(dataDir)
  if (places !== null && !(await isListening(places.fcm.origin))) await removeSandboxFile(dataDir)
}

async function isListening(origin: string): Promise<boolean> {
  const { hostname: host, port } = new URL(origin)
  const socket = connect({ host, port: Number(port), timeout: LISTEN_MS })
  try {
    const isConnected = once(socket, 'connect').then(() => true)
    return await Promise.race([isConnected, once(socket, 'timeout').then(() => false)])
  } catch {
    // Refused: nobody is there.
    return false
  } finally {
    socket.destroy()
  }
}

const LISTEN_MS = 1_000

type Written = Readonly<Record<(typeof FIELDS)[number], string>>

const FIELDS = [
  'certificate',
  'fcmOrigin',
  'fcmTokenUrl',
  'fcmCredential',
  'apnsOrigin',
  'apnsCredential',
  'webOrigin',
  'deskUrl',
] as const

const FRESH_MS = 1_000

function fileOf(dataDir: string): string {
  return join(dataDir, 'sandbox.json')
}

/** No file is no sandbox, and so is one that cannot be read or understood: nobody depends on it for real messages. */
async function readPlaces(dataDir: string): Promise<SandboxPlaces | null> {
  try {
    return placesOf(parseJson(await readFile(fileOf(dataDir), 'utf8')))
  } catch {
    return null
  }
}

function placesOf(value: unknown): SandboxPlaces {
  const written: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {}
  const text = (name: (typeof FIELDS)[number]): string => String(written[name])
  return {
    certificate: text('certificate'),
    fcm: {
      origin: text('fcmOrigin'),
      tokenUrl: text('fcmTokenUrl'),
      credential: readAndroidCredential(text('fcmCredential')),
    },
    apns: { origin: text('apnsOrigin'), credential: readIosCredential(text('apnsCredential')) },
    web: { origin: text('webOrigin') },
    deskUrl: text('deskUrl'),
  }
}
