import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { DuckDbOptions } from '../../src/runtime/duckdb/duckdb-child.ts'
import { DuckDbError } from '../../src/runtime/duckdb/duckdb-error.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import type { DuckDbStatement } from '../../src/runtime/duckdb/messages.ts'
import { until } from '../support/until.ts'
import { assertLeft, ENDLESS, LIMITS, TRIES, troubleOf } from './duckdb-statements.ts'

let folder = ''
let reader: DuckDbProcess
let writer: DuckDbProcess

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beckon-duckdb-'))
  reader = new DuckDbProcess(options())
  writer = new DuckDbProcess(options({ access: 'write' }))
  await writer.run({ sql: `copy (select 7 as seven) to '${folder}/seven.parquet' (format parquet)` }, LIMITS)
})

after(async () => {
  await reader.close()
  await writer.close()
  await rm(folder, { recursive: true })
})

function options(some: Partial<DuckDbOptions> = {}): DuckDbOptions {
  return { folder, memoryMib: 512, threads: 2, access: 'read', idleMs: 600_000, ...some }
}

async function ask(sql: string, values: DuckDbStatement['values'] = []): Promise<unknown> {
  return reader.run({ sql, values }, LIMITS)
}

test('a file of the folder is read, and digits that a number cannot hold stay exact', async () => {
  assert.deepEqual(await ask(`select seven from '${folder}/seven.parquet'`), [[7]])
  const sql = 'select $1::bigint, $2::varchar, 0.10::decimal(27, 9), $3::boolean, $4::varchar'
  const row = ['9007199254740993', "it's", '0.100000000', true, null]
  assert.deepEqual(await ask(sql, [9007199254740993n, "it's", true, null]), [row])
})

/** Makes a table and reads it. */
async function makeAndRead(value: number): Promise<unknown> {
  return writer.alone(async () => {
    await writer.run({ sql: `create or replace table shared as select ${value} as value` }, LIMITS)
    if (value === 2) throw new Error('a failure between two statements')
    return writer.run({ sql: 'select value from shared' }, LIMITS)
  })
}

test('works of several statements that share a table do not mix, and a failed one keeps no other waiting', async () => {
  const ends = await Promise.allSettled([1, 2, 3, 4].map(makeAndRead))
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : 'failed')),
    [[[1]], 'failed', [[3]], [[4]]],
  )
})

test('a failure quotes neither the lines of a file nor the statement', async () => {
  await writeFile(join(folder, 'lines.csv'), 'somebody@example.com,wide\n')
  const lines = `read_csv('${folder}/lines.csv', auto_detect = false, columns = {'who': 'VARCHAR', 'number': 'DECIMAL'})`
  for (const sql of [`select * from ${lines}`, `select 'somebody@example.com', nothing`]) {
    await assert.rejects(ask(sql), (error) => error instanceof DuckDbError && !/somebody/.test(error.message))
  }
})

test('statements of different keys take turns', async () => {
  const order: string[] = []
  const turn = async (key: string): Promise<void> => {
    await reader.run({ sql: 'select 1' }, { ...LIMITS, key })
    order.push(key)
  }
  await Promise.all([turn('busy'), turn('busy'), turn('busy'), turn('busy'), turn('calm')])
  assert.ok(order.indexOf('calm') < 3, order.join(', '))
})

test('kill -9 in a statement fails that statement, and the next one finds a new process', async () => {
  const endless = troubleOf(ask(ENDLESS))
  const next = ask('select 1')
  await until(() => reader.pid !== null, { what: 'a process' })
  const killed = reader.pid ?? assert.fail('no process')
  process.kill(killed, 'SIGKILL')
  assert.equal(await endless, 'ended')
  assert.deepEqual(await next, [[1]])
  assert.notEqual(reader.pid, killed)
})

test('a statement beyond its time is interrupted, and the process goes on', async () => {
  // A process that has no CPU for two seconds cannot stop in time, and is killed.
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    await ask('select 1')
    const { pid } = reader
    assert.equal(await troubleOf(reader.run({ sql: ENDLESS }, { ...LIMITS, timeoutMs: 50 })), 'late')
    assert.deepEqual(await ask('select 2'), [[2]])
    if (reader.pid === pid) return
    assert.ok(triesLeft > 0, 'another process')
  }
})

test('a statement tells how far it is, to a caller who wants to know', async () => {
  const path = `${folder}/many.parquet`
  await writer.run(
    { sql: `copy (select range as n from range(300000)) to '${path}' (format parquet)` },
    LIMITS,
  )
  const stop = new AbortController()
  const shares: number[] = []
  const onProgress = (share: number): void => {
    shares.push(share)
    if (share > 0) stop.abort()
  }
  // The same file very often: the statement has long not ended when it tells of its progress for the first time.
  const files = Array.from({ length: 3_000 }, () => `'${path}'`).join(', ')
  const sql = `select count(*) from read_parquet([${files}], union_by_name = true) where hash(hash(hash(n))) = 1`
  const run = reader.run({ sql }, { ...LIMITS, signal: stop.signal, onProgress })
  await assertLeft(run)
  assert.ok(shares.some((share) => share > 0 && share < 1))
})

test('a caller who goes away interrupts the statement', async () => {
  const caller = new AbortController()
  const onTurn = (): void => caller.abort()
  await assertLeft(reader.run({ sql: ENDLESS }, { ...LIMITS, signal: caller.signal, onTurn }))
})

test('a statement that needs more memory than there is fails, writes nothing to the disk, and the next one runs', async () => {
  const small = new DuckDbProcess(options({ memoryMib: 256 }))
  const found = await readdir(folder)
  const greedy = 'select count(*) from (select distinct range from range(100000000))'
  assert.equal(await troubleOf(small.run({ sql: greedy }, LIMITS)), 'memory')
  assert.deepEqual(await small.run({ sql: 'select 1' }, LIMITS), [[1]])
  assert.deepEqual(await readdir(folder), found)
  await small.close()
})

test('a statement that needs more memory than there is goes on in the scratch folder, and leaves nothing there', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'beckon-scratch-'))
  const small = new DuckDbProcess(options({ memoryMib: 320, scratch }))
  const greedy = 'select count(*) from (select range from range(20000000) group by range)'
  assert.deepEqual(await small.run({ sql: greedy }, LIMITS), [['20000000']])
  await small.close()
  assert.deepEqual(await readdir(scratch), [])
  await rm(scratch, { recursive: true })
})

test('a process that keeps much memory of former statements is replaced, and each of its answers is whole', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'beckon-scratch-'))
  const small = new DuckDbProcess(options({ scratch }))
  assert.deepEqual(await small.run({ sql: 'select 1' }, LIMITS), [[1]])
  const { pid } = small
  const many = { sql: `select range, repeat('x', 100) from range(300000)` }
  // How much a process keeps depends on the machine. One statement may be too little.
  for (let left = 10; left > 0 && small.pid === pid; left -= 1) {
    const rows = await small.run(many, { ...LIMITS, rowsMax: 300_000 })
    assert.equal(new Set(rows.map(([range]) => range)).size, 300_000)
  }
  assert.notEqual(small.pid, pid)
  assert.deepEqual(await small.run({ sql: 'select 2' }, LIMITS), [[2]])
  await small.close()
  assert.deepEqual(await readdir(scratch), [])
  await rm(scratch, { recursive: true })
})

test('a process that dies while it frees memory fails no statement', async () => {
  const rested = new DuckDbProcess(options())
  const large = 'select count(*) from (select range from range(3000000) group by range)'
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(await rested.run({ sql: large }, LIMITS), [['3000000']])
    const { pid } = rested
    const next = rested.run({ sql: 'select 1' }, LIMITS)
    if (round > 0) process.kill(pid ?? assert.fail('no process'), 'SIGKILL')
    assert.deepEqual(await next, [[1]])
    if (round > 0) assert.notEqual(rested.pid, pid)
  }
  await rested.close()
})

test('a process that is killed leaves nothing in the scratch folder', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'beckon-scratch-'))
  const killed = new DuckDbProcess(options({ memoryMib: 320, scratch }))
  const endless = 'select count(*) from (select range from range(1000000000) group by range)'
  const run = troubleOf(killed.run({ sql: endless }, LIMITS))
  await until(async () => (await readdir(scratch, { recursive: true })).length > 1, {
    what: 'a spilled file',
  })
  process.kill(killed.pid ?? 0, 'SIGKILL')
  assert.equal(await run, 'ended')
  await killed.close()
  assert.deepEqual(await readdir(scratch), [])
  await rm(scratch, { recursive: true })
})

test('a process that grows beyond what DuckDB counts, or beyond its heap, is ended with its statement', async () => {
  for (const { memoryMib, sql } of [
    // DuckDB may use 0.7 of what is above the base; a base larger than the limit ends the process at its first look.
    { memoryMib: 140, sql: `select list(repeat('x', 1000) || range) from range(10000000)` },
    { memoryMib: 512, sql: `select repeat('x', 10000) || range from range(16000)` },
  ]) {
    const own = new DuckDbProcess(options({ memoryMib }))
    assert.equal(await troubleOf(own.run({ sql }, { ...LIMITS, rowsMax: 20_000 })), 'memory')
    await own.close()
  }
})

test('an answer of too many rows is refused', async () => {
  assert.equal(await troubleOf(ask('select * from range(101)')), 'rows')
  assert.equal(await troubleOf(ask('select * from range(10000000)')), 'rows')
})

test('an idle process ends, and a process whose parent closes it is gone', async () => {
  const idle = new DuckDbProcess(options({ idleMs: 1 }))
  assert.deepEqual(await idle.run({ sql: 'select 1' }, LIMITS), [[1]])
  await until(() => idle.pid === null, { what: 'the end of the idle process' })
  assert.deepEqual(await idle.run({ sql: 'select 2' }, LIMITS), [[2]])
  await idle.close()
  assert.equal(idle.pid, null)
})

test('a folder that is gone fails the statement', async () => {
  const lost = new DuckDbProcess(options({ folder: join(folder, 'nowhere') }))
  assert.equal(await troubleOf(lost.run({ sql: 'select 1' }, LIMITS)), 'ended')
  await lost.close()
})

/** Statements that leave the folder, by a path, a link, the network or an extension. */
const OUTSIDE = [
  `select * from read_csv('/etc/passwd', sep = ':')`,
  `select * from read_text('/etc/passwd')`,
  `select * from read_blob('/proc/self/environ')`,
  `select * from glob('/etc/*')`,
  `select * from read_parquet('http://127.0.0.1:1/x.parquet')`,
  `select * from read_parquet('s3://bucket/x.parquet')`,
  `select * from '/etc/passwd'`,
]

/** Statements that write, or change what the process may do. */
const CHANGES = [
  `copy (select 1) to '/tmp/beckon-out.csv'`,
  `attach '/tmp/beckon-out.db'`,
  `export database '/tmp/beckon-out'`,
  'install httpfs',
  'load httpfs',
  `load '/tmp/httpfs.duckdb_extension'`,
  'set enable_external_access = true',
  `set allowed_directories = ['/']`,
  `set memory_limit = '100GB'`,
  `set temp_directory = '/tmp'`,
]

test('nothing outside of the folder is opened, in either kind of process', async () => {
  for (const sql of OUTSIDE) {
    assert.match(await troubleOf(ask(sql)), /refused|failed/, sql)
    assert.match(await troubleOf(writer.run({ sql }, LIMITS)), /refused|failed/, sql)
  }
  const up = `${folder}/../../../../../../etc/passwd`
  assert.equal(await troubleOf(ask(`select * from read_text('${up}')`)), 'refused')
})

test('nothing outside of the folder is written and no setting is changed, in either kind of process', async () => {
  for (const sql of CHANGES) {
    assert.match(await troubleOf(ask(sql)), /refused|failed/, sql)
    assert.match(await troubleOf(writer.run({ sql }, LIMITS)), /refused|failed/, sql)
  }
})

test('a process for reading writes nothing, also not in the folder', async () => {
  const statements = [
    `copy (select 1) to '${folder}/out.parquet'`,
    `attach '${folder}/out.db'`,
    `export database '${folder}/out'`,
    'create table t (a integer)',
    'with a as (select 1) insert into t select * from a',
    'select 1; select 2',
    `select 1; copy (select 1) to '${folder}/out.parquet'`,
    '',
  ]
  const found = await readdir(folder)
  for (const sql of statements) assert.match(await troubleOf(ask(sql)), /refused|failed/, sql)
  assert.deepEqual(await readdir(folder), found)
})

test('no request reaches a server, not even one on this machine', async () => {
  let calls = 0
  const server = createServer((_, response) => {
    calls += 1
    response.end()
  }).listen(0, '127.0.0.1')
  await until(() => server.listening, { what: 'the server' })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  for (const reading of ['read_parquet', 'read_csv', 'read_text', 'read_json']) {
    const sql = `select * from ${reading}('http://127.0.0.1:${port}/x')`
    assert.match(await troubleOf(ask(sql)), /refused|failed/)
    assert.match(await troubleOf(writer.run({ sql }, LIMITS)), /refused|failed/)
  }
  assert.equal(calls, 0)
  server.close()
})

test('the process has no environment, so no secret of Beckon', {
  skip: process.platform !== 'linux',
}, async () => {
  await ask('select 1')
  assert.doesNotMatch(await readFile(`/proc/${reader.pid}/environ`, 'utf8'), /BECKON|DATABASE|PATH/)
})
