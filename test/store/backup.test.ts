import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeArchive } from '../../src/runtime/archive/write.ts'
import { saveBackup } from '../../src/store/backup/backup.ts'
import type { Progress } from '../../src/store/backup/progress.ts'
import { checkBackup, isBlank, loadBackup } from '../../src/store/backup/restore.ts'
import { withOwner } from '../../src/store/db.ts'
import { migrate, schemaVersion } from '../../src/store/migrate.ts'
import { loadHold } from '../../src/store/push/sending-hold.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database/database.ts'
import { withLaterMigrations } from '../support/database/later-migrations.ts'

const NOW = Date.UTC(2026, 10, 15)
let folder = ''
let source: TestDatabase

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beckon-backup-'))
  source = await freshDatabase()
  await withOwner(source.url, async (owner) => owner.query(SHAPE + PARTITIONS + ROWS))
  await source.brand({ externalId: 'tab\there' })
})
after(async () => {
  await source.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Shapes that a schema may grow into: partitions of partitions, a sequence of its own, values that need quoting. */
const SHAPE = `
  create table parted (at timestamptz not null, n bigint generated always as identity, word text,
    twice bigint generated always as (n * 2) stored, raw bytea) partition by range (at);
  alter table parted alter column word set statistics 0;
  create sequence loose start 100;
`
const PARTITIONS = `
  create table parted_2026_10 partition of parted
    for values from ('2026-10-01Z') to ('2026-11-01Z') with (fillfactor=70);
  alter table parted_2026_10 enable row level security;
  alter table parted_2026_10 force row level security;
  create table "Parted 2026.11" partition of parted
    for values from ('2026-11-01Z') to ('2026-12-01Z') partition by list (word);
  create table parted_2026_11_a partition of "Parted 2026.11" for values in ('a''b');
  create table parted_2026_11_rest partition of "Parted 2026.11" default;
`
const ROWS = `
  select nextval('loose');
  insert into parted (at, word, raw)
    select '2026-10-15Z'::timestamptz + n * interval '1 hour',
      (array['a''b', E'tab\\tnewline\\nback\\\\slash', null, '\\N', ''])[1 + n % 5], decode(md5(n::text), 'hex')
    from generate_series(1, 1000) as n;
`

async function save(file: string): Promise<readonly Progress[]> {
  const progress: Progress[] = []
  const files = [{ name: 'secret', text: 'hush' }]
  await saveBackup(source.url, { file, files, now: NOW, onProgress: (step) => progress.push(step) })
  return progress
}

/** Every table with a hash of its rows in a fixed order, and every sequence. */
async function fingerprint(url: string): Promise<unknown> {
  return withOwner(url, async (owner) => {
    const { rows: tables } = await owner.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and relname <> 'schema_migrations' order by 1`,
    )
    const hashes = []
    for (const { name } of tables) {
      const { rows } = await owner.query(
        `select $1 as name, count(*), md5(string_agg(row::text, ',' order by row::text)) from ${name} as row`,
        [name],
      )
      hashes.push(rows[0])
    }
    const { rows: sequences } = await owner.query(
      'select sequencename, last_value from pg_sequences order by 1',
    )
    return { hashes, sequences }
  })
}

/** A blank database with the shapes above, as if a migration had made them, and a partition of another day. */
async function blankDatabase(): Promise<TestDatabase> {
  const target = await freshDatabase()
  const other = `create table parted_2027_01 partition of parted for values from ('2027-01-01Z') to ('2027-02-01Z');`
  await withOwner(target.url, async (owner) => owner.query(SHAPE + other))
  return target
}

async function restore(file: string, url: string, { isHeld } = { isHeld: false }): Promise<void> {
  await loadBackup(url, { file, head: await checkBackup(file), onProgress: () => undefined, isHeld })
}

test('a restored backup has every row, partition and sequence of the database it was made from', async () => {
  const file = join(folder, 'whole.backup')
  const progress = await save(file)
  const target = await blankDatabase()
  try {
    assert.equal(await isBlank(target.url), true)
    await restore(file, target.url)
    assert.deepEqual(await fingerprint(target.url), await fingerprint(source.url))
    assert.equal(await isBlank(target.url), false)
  } finally {
    await target.drop()
  }
  const parted = progress.filter(({ table, rows }) => table.includes('parted_') && rows !== null)
  assert.equal(
    parted.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    1000,
  )
})

test('a restored partition keeps its row security and its options', async () => {
  const file = join(folder, 'partitions.backup')
  await save(file)
  const target = await blankDatabase()
  try {
    await restore(file, target.url)
    const { rows } = await withOwner(target.url, async (owner) =>
      owner.query(
        `select relrowsecurity, relforcerowsecurity, reloptions from pg_class where relname = 'parted_2026_10'`,
      ),
    )
    assert.deepEqual(rows, [
      { relrowsecurity: true, relforcerowsecurity: true, reloptions: ['fillfactor=70'] },
    ])
  } finally {
    await target.drop()
  }
})

test('a restored partition has no statistics of the columns of which its table has none', async () => {
  const file = join(folder, 'statistics.backup')
  await save(file)
  const target = await blankDatabase()
  try {
    await restore(file, target.url)
    const { rows } = await withOwner(target.url, async (owner) =>
      owner.query(
        `select distinct attname as name, attstattarget as target from pg_attribute
         join pg_partition_tree('parted') on attrelid = relid where attname in ('at', 'word') order by name`,
      ),
    )
    assert.deepEqual(rows, [
      { name: 'at', target: null },
      { name: 'word', target: 0 },
    ])
  } finally {
    await target.drop()
  }
})

test('new rows after a restore get numbers that no restored row has', async () => {
  const file = join(folder, 'numbers.backup')
  await save(file)
  const target = await blankDatabase()
  try {
    await restore(file, target.url)
    const { rows } = await withOwner(target.url, async (owner) =>
      owner.query<{ n: bigint }>(`insert into parted (at) values ('2026-11-15Z') returning n`),
    )
    assert.equal(rows[0]?.n, 1001n)
  } finally {
    await target.drop()
  }
})

test('a backup is one instant, though others write while it is made', async () => {
  const file = join(folder, 'busy.backup')
  const stop = new AbortController()
  const writing = withOwner(source.url, async (owner) => {
    // Each statement adds one row to two tables; a backup that sees one without the other is torn.
    await owner.query('create table left_side (n int); create table right_side (n int)')
    for (let n = 0; !stop.signal.aborted; n += 1) {
      await owner.query(
        `with one as (insert into left_side values (${n})) insert into right_side values (${n})`,
      )
    }
  })
  await saveBackupUntil(file, 20)
  stop.abort()
  await writing
  const target = await blankDatabase()
  try {
    await withOwner(target.url, async (owner) =>
      owner.query('create table left_side (n int); create table right_side (n int)'),
    )
    await restore(file, target.url)
    const { rows } = await withOwner(target.url, async (owner) =>
      owner.query<{ left: bigint; right: bigint; torn: bigint }>(
        `select count(left_side.n) as left, count(right_side.n) as right,
           count(*) filter (where left_side.n is null or right_side.n is null) as torn
         from left_side full join right_side using (n)`,
      ),
    )
    assert.ok((rows[0]?.left ?? 0n) >= 20n, 'the backup saw the writer at work')
    assert.deepEqual([rows[0]?.torn, rows[0]?.right], [0n, rows[0]?.left])
  } finally {
    await target.drop()
    await withOwner(source.url, async (owner) => owner.query('drop table left_side, right_side'))
  }
})

async function saveBackupUntil(file: string, rowsMin: number): Promise<void> {
  for (let rows = 0; rows < rowsMin; ) {
    const steps = await save(file)
    rows = steps.find(({ table }) => table === 'public.left_side')?.rows ?? 0
  }
}

test('a backup cut off at any place is refused', async () => {
  const file = join(folder, 'cut.backup')
  await save(file)
  const { size } = await stat(file)
  for (const bytes of [size - 1, size - 40, Math.floor(size / 2), 20, 3, 0]) {
    await truncate(file, bytes)
    await assert.rejects(checkBackup(file), /damaged|not a backup/, `${bytes} of ${size} bytes`)
  }
})

test('a backup with one changed bit is refused', async () => {
  const file = join(folder, 'bit.backup')
  await save(file)
  const bytes = await readFile(file)
  for (let place = 17; place < bytes.length; place += Math.floor(bytes.length / 23)) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(place) ^ 0x10, place)
    await writeFile(file, changed)
    await assert.rejects(checkBackup(file), /damaged/, `a bit of byte ${place}`)
  }
})

test('a whole archive that is not a backup is refused', async () => {
  const file = join(folder, 'other.backup')
  for (const value of [null, 'head', {}, { kind: 1 }, { kind: 'later' }, { kind: 'rows', count: 0 }]) {
    await writeArchive(
      file,
      (async function* () {
        yield { kind: 'note', value }
      })(),
    )
    await assert.rejects(checkBackup(file), /damaged/, JSON.stringify(value))
  }
})

test('a backup of a newer schema is refused', async () => {
  const file = join(folder, 'newer.backup')
  await withOwner(source.url, async (owner) =>
    owner.query(`insert into schema_migrations select 9999, 'future', sha256 from schema_migrations limit 1`),
  )
  try {
    await save(file)
  } finally {
    await withOwner(source.url, async (owner) =>
      owner.query('delete from schema_migrations where version = 9999'),
    )
  }
  await assert.rejects(checkBackup(file), /newer Beckon/)
})

test('a backup is for its owner alone, and a failed one leaves the older one and no draft', async () => {
  const file = join(folder, 'kept.backup')
  await save(file)
  const kept = await readFile(file)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const broken = { file, files: [], now: NOW }
  await assert.rejects(
    saveBackup(source.url, {
      ...broken,
      onProgress: () => {
        throw new Error('the terminal is gone')
      },
    }),
    /terminal is gone/,
  )
  assert.deepEqual(await readFile(file), kept)
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('kept')),
    ['kept.backup'],
  )
})

test('a backup carries the small files it was given', async () => {
  const file = join(folder, 'files.backup')
  await save(file)
  assert.deepEqual((await checkBackup(file)).files, [{ name: 'secret', text: 'hush' }])
})

test('a backup of an older schema is restored with its rows and brought to the newest schema', async () => {
  const file = join(folder, 'older.backup')
  await save(file)
  const head = await checkBackup(file)
  const migrations = withLaterMigrations(SHAPE, 'alter table brands add column later integer default 7')
  const target = await emptyDatabase()
  await migrate(target.url, { migrations, upTo: head.schemaVersion + 1 })
  await loadBackup(target.url, { file, head, onProgress: () => undefined, isHeld: false, migrations })
  const { rows } = await withOwner(target.url, async (owner) =>
    owner.query(`select external_id, later, (select count(*) from parted) as parted from brands`),
  )
  assert.deepEqual(rows, [{ external_id: 'tab\there', later: 7, parted: 1000n }])
  assert.equal(await withOwner(target.url, schemaVersion), migrations.length)
  await target.drop()
})

test('a backup restored with a hold is held, and any other goes on', async () => {
  const [old, held, free] = [await emptyDatabase(), await emptyDatabase(), await emptyDatabase()]
  const file = join(folder, 'holds.backup')
  await migrate(old.url)
  await saveBackup(old.url, { file, files: [], now: Date.now(), onProgress: () => undefined })
  await restore(file, held.url, { isHeld: true })
  await restore(file, free.url)
  assert.notEqual(await withOwner(held.url, loadHold), null)
  assert.equal(await withOwner(free.url, loadHold), null)
  for (const { drop } of [old, held, free]) await drop()
})
