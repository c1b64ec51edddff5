import { sha256 } from '../../../src/runtime/secrets/crypto.ts'
import { type Migration, readMigrations } from '../../../src/store/migration-files.ts'

/** The migrations of this program and one more for each statement, as a later release would have them. */
export function withLaterMigrations(...statements: readonly string[]): readonly Migration[] {
  const known = readMigrations()
  const later = statements.map((sql, index) => ({
    version: known.length + index + 1,
    name: `later-${index + 1}`,
    sql,
    sha256: Buffer.from(sha256(sql)).toString('hex'),
  }))
  return [...known, ...later]
}
