import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** The files that a page may load: the SDK as a script and as a module, its types, and the service worker. */
export const SCRIPT_NAMES = ['sdk.js', 'sdk.mjs', 'sdk.d.ts', 'preferences.mjs', 'sw.js'] as const

export type ScriptName = (typeof SCRIPT_NAMES)[number]

export type Script = {
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  /** Names the text: the same text has the same hash on every machine. */
  readonly hash: string
}

export type Scripts = Readonly<Record<ScriptName, Script>>

export function makeScript(content: string | Uint8Array): Script {
  const plain = Buffer.from(content)
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, HASH_CHARS)
  return { plain, gzip: gzipSync(plain, { level: 9 }), hash }
}

const HASH_CHARS = 16
