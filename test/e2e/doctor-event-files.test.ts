import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshDatabase } from '../support/database/database.ts'
import { openFrozen, rawEvent } from '../support/events/frozen.ts'
import { runBeckon } from '../support/processes/beckon.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const PLAIN = { DATABASE_URL: url, BECKON_SECRET: 's'.repeat(32) }
const UNSHARED = { ...PLAIN, BECKON_EVENT_FILES_DIR: frozen.folder }
const ENVIRONMENT = { ...UNSHARED, BECKON_EVENT_FILES_SHARED: 'on' }

async function lineOf(name: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await runBeckon(['doctor'], environment)
  return stdout.split('\n').find((line) => line.slice(6).startsWith(name)) ?? assert.fail(stdout)
}

/** Changes a byte in the middle of a listed file, as a disk may. */
async function damage(brandId: number): Promise<string> {
  const { rows } = await database.query<{ path: string }>(
    'select path from event_files where brand_id = $1',
    [brandId],
  )
  const path = rows[0]?.path ?? assert.fail('no file')
  const content = await readFile(join(frozen.folder, path))
  const middle = Math.floor(content.length / 2)
  content.writeUInt8(content.readUInt8(middle) ^ 1, middle)
  await writeFile(join(frozen.folder, path), content)
  return path
}

test('the doctor finds a damaged file of the same size, with and without rows', async () => {
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1, { attributes: '{"sku": "A"}' })])
  await frozen.round()
  assert.match(await lineOf('event files', ENVIRONMENT), /^good .* compared 1 by SHA-256/)
  const copy = await damage(brandId)
  const copied = await lineOf('event files', ENVIRONMENT)
  assert.ok(copied.startsWith('warn') && copied.includes(`another SHA-256, such as ${copy}`), copied)

  await frozen.drop()
  assert.match(await lineOf('event files', ENVIRONMENT), /^good .* 1 have the only copy/)
  const only = await damage(brandId)
  const lost = await lineOf('event files', ENVIRONMENT)
  assert.ok(lost.startsWith('bad') && lost.includes(`such as ${only}, which has the only copy`), lost)
})

test('the doctor says why rows of events stay', async () => {
  const lines = [
    await lineOf('event rows', PLAIN),
    await lineOf('event rows', UNSHARED),
    await lineOf('event rows', ENVIRONMENT),
    await lineOf('event rows', { ...ENVIRONMENT, BECKON_EVENT_ROWS_DAYS: '90' }),
  ]
  const reasons = [
    /needs BECKON_EVENT_FILES_URL or BECKON_EVENT_FILES_DIR/,
    /with DATABASE_URL needs BECKON_EVENT_FILES_URL, or a folder .* BECKON_EVENT_FILES_SHARED=on/,
    /stay in the database: BECKON_EVENT_ROWS_DAYS is not set/,
    /leave the database after 90 days/,
  ]
  for (const [at, reason] of reasons.entries()) assert.match(lines[at] ?? '', reason)
})
