import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../runtime/secrets/crypto.ts'

/** One step of the schema. The hash shows later whether a released file was edited. */
export type Migration = {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly sha256: string
}

/** All steps of this program, in order. A gap or a wrong name is a mistake in the program, so it throws. */
export function readMigrations(): readonly Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map(readMigration)
}

const FOLDER = join(import.meta.dirname, 'migrations')
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/

function readMigration(file: string, index: number): Migration {
  const [, digits, name] = FILE_NAME.exec(file) ?? []
  const version = index + 1
  if (name === undefined || Number(digits) !== version)
    throw new Error(`migration ${file} is misnamed: expected number ${version} and a name in kebab-case`)
  const sql = readFileSync(join(FOLDER, file), 'utf8')
  return { version, name, sql, sha256: Buffer.from(sha256(sql)).toString('hex') }
}
