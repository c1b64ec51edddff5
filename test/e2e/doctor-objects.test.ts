import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { storePlace } from '../../src/intake/event-files/file-place.ts'
import { findDamaged } from '../../src/intake/event-files/sweep.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { listFiles } from '../../src/store/event-files/manifest.ts'
import { freshDatabase } from '../support/database/database.ts'
import { openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { placeOf } from '../support/object-store/place.ts'
import { S3_BUCKET, S3_KEYS, S3_REGION, startS3 } from '../support/object-store/s3-server.ts'
import { freshFolder, runBeckon } from '../support/processes/beckon.ts'

const { url, database, brand, drop } = await freshDatabase()
const s3 = await startS3()
const store = new S3Store(placeOf(s3.server))
const files = await openFiles()
const place = storePlace(files.folder, store)
const frozen = await openFrozen({ url, database }, files, place)
after(async () => {
  await frozen.close()
  store.close()
  await s3.stop()
  await drop()
})

test('the doctor finds a damaged object of the same size whose events have no rows, and fetches no other', async (t) => {
  const environment = {
    DATABASE_URL: url,
    BECKON_DATA_DIR: await freshFolder(t),
    BECKON_SECRET: 's'.repeat(32),
    BECKON_EVENT_ROWS_DAYS: '30',
    BECKON_EVENT_FILES_URL: `s3://${S3_BUCKET}/some/prefix`,
    BECKON_EVENT_FILES_ENDPOINT: s3.server,
    BECKON_EVENT_FILES_REGION: S3_REGION,
    BECKON_EVENT_FILES_KEY_ID: S3_KEYS.id,
    BECKON_EVENT_FILES_SECRET_KEY: S3_KEYS.secret,
  }
  const look = async (): Promise<string> => {
    const { stdout } = await runBeckon(['doctor'], environment)
    return stdout.split('\n').find((line) => line.slice(6).startsWith('event files')) ?? assert.fail(stdout)
  }
  const { brandId } = await brand()
  await frozen.store(brandId, [rawEvent(1, { attributes: '{"sku": "A"}' })])
  await frozen.round()
  s3.calls.length = 0
  assert.match(await look(), /^good .* compared by size$/)
  assert.deepEqual(
    s3.calls.filter((call) => call.startsWith('GET') && call.includes('.parquet')),
    [],
  )

  await frozen.drop()
  assert.match(await look(), /^good .* compared 1 by SHA-256; 1 have the only copy/)
  const [file] = await listFiles(database)
  const key = `some/prefix/${file?.path}`
  const content = s3.objects.get(key) ?? assert.fail('no object')
  const middle = Math.floor(content.length / 2)
  const damaged = Buffer.from(content)
  damaged.writeUInt8(damaged.readUInt8(middle) ^ 1, middle)
  s3.objects.set(key, damaged)
  const lost = await look()
  assert.ok(lost.startsWith('bad') && lost.includes(`such as ${file?.path}, which has the only copy`), lost)

  assert.deepEqual(await findDamaged(place, await listFiles(database), 60_000), {
    comparedCount: 1,
    lateCount: 0,
    damaged: [file?.path],
  })
  s3.state.mood = 'hang'
  assert.deepEqual(await findDamaged(place, await listFiles(database), 50), {
    comparedCount: 0,
    lateCount: 1,
    damaged: [],
  })
  s3.state.mood = 'well'
})
