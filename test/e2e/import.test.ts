import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshDatabase } from '../support/database/database.ts'

const { url, database, brand, drop } = await freshDatabase()
const folder = await mkdtemp(join(tmpdir(), 'beckon-import-'))
after(async () => {
  await rm(folder, { recursive: true })
  await drop()
})

type Run = { readonly code: number; readonly out: string; readonly err: string }

async function beckon(...args: readonly string[]): Promise<Run> {
  const { promise, resolve } = Promise.withResolvers<Run>()
  const main = join(import.meta.dirname, '../../src/main.ts')
  const env = { ...process.env, DATABASE_URL: url }
  execFile(process.execPath, [main, ...args], { env }, (cause, out, err) =>
    resolve({ code: cause === null ? 0 : Number(cause.code), out, err }),
  )
  return promise
}

test('beckon import stores a CSV file, shows progress and names the refused lines, with exit code 3', async () => {
  const { externalId, brandId } = await brand()
  const file = join(folder, 'tokens.csv')
  await writeFile(file, 'token,user_id,tags\na,ann,vip\n,bob,\nb,,\n')
  const { code, out, err } = await beckon('import', file, '--brand', externalId, '--platform', 'android')
  assert.equal(code, 3, err)
  assert.match(out, /^Imported 2, updated 0, refused 1\.\n\nline 3 {2}field_missing {2}token is required/)
  assert.match(err, /3 rows read, 1 refused\n1 row refused; all others are stored\.\n$/)
  const { rows } = await database.query('select address from subscriptions where brand_id = $1 order by id', [
    brandId,
  ])
  assert.deepEqual(rows, [{ address: 'a' }, { address: 'b' }])
})

test('beckon import of a list without a bad row exits with 0, and says nothing of refusals', async () => {
  const { externalId } = await brand()
  const file = join(folder, 'good.csv')
  await writeFile(file, 'platform,token\nandroid,a\n')
  const { code, out, err } = await beckon('import', file, '--brand', externalId)
  assert.deepEqual([code, out, err], [0, 'Imported 1, updated 0, refused 0.\n', '  1 row read, 0 refused\n'])
})

test('beckon import says in a sentence what cannot be', async () => {
  const file = join(folder, 'x.ndjson')
  await writeFile(file, '')
  for (const [args, sentence] of [
    [[file], /--brand is missing/],
    [[file, '--brand', 'nobody'], /There is no brand nobody/],
    [[file, '--brand', 'x', '--platform', 'windows'], /no platform "windows"/],
    [
      [join(folder, 'absent'), '--brand', (await brand()).externalId],
      /^There is no file \S+absent: nothing is stored\.$/m,
    ],
    [[folder, '--brand', (await brand()).externalId], /^This is a folder and no file: /m],
  ] as const) {
    const { code, err } = await beckon('import', ...args)
    assert.notEqual(code, 0)
    assert.match(err, sentence)
  }
})

test('beckon import finds out by which sign the columns are separated', async () => {
  for (const [name, text] of [
    ['semicolons.csv', 'token;user_id;tags\na;ann;"vip;eu"\nb;bob;\n'],
    ['tabs.csv', 'token\tuser_id\na\tann\nb\tbob\n'],
    ['one-column.csv', '\uFEFFtoken\na\nb\n'],
  ] as const) {
    const { externalId } = await brand()
    await writeFile(join(folder, name), text)
    const { code, out, err } = await beckon(
      'import',
      join(folder, name),
      '--brand',
      externalId,
      '--platform',
      'android',
    )
    assert.deepEqual([code, out], [0, 'Imported 2, updated 0, refused 0.\n'], err)
  }
})

test('beckon import says what is wrong when every row is refused', async () => {
  const { externalId } = await brand()
  const csvAsJson = join(folder, 'tokens.txt')
  await writeFile(csvAsJson, 'token,user_id\na,ann\n')
  const misread = await beckon('import', csvAsJson, '--brand', externalId, '--platform', 'android')
  assert.equal(misread.code, 1)
  assert.match(misread.err, /^Nothing is stored: 2 rows refused of 2\. .* for CSV add --csv\.$/m)
  const foreign = join(folder, 'foreign.csv')
  await writeFile(foreign, 'device,person\na,ann\n')
  const { code, err } = await beckon('import', foreign, '--brand', externalId, '--platform', 'android')
  assert.equal(code, 1)
  assert.match(err, /^Nothing is stored: 1 row refused of 1\. The first: token is required\./m)
})
