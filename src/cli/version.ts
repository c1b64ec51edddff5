import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOME } from '../config.ts'

/** The version this program calls itself by. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('package.json carries no version')
}
