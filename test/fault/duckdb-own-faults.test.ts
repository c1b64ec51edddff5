import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'

const LIMITS = { timeoutMs: 60_000, rowsMax: 100 }
const folder = await mkdtemp(join(tmpdir(), 'beckon-duckdb-'))
const options = { folder, memoryMib: 512, threads: 2, idleMs: 600_000 }
const reader = new DuckDbProcess({ ...options, access: 'read' })
const writer = new DuckDbProcess({ ...options, access: 'write' })

after(async () => {
  await reader.close()
  await writer.close()
  await rm(folder, { recursive: true })
})

/**
 * Files of DuckDB's own form. At the broken one DuckDB meets a fault of its own and refuses all further statements: a pointer of it leads
 * to a block that is not there, although the sum of its block is right.
 */
async function makeOwnFiles(): Promise<{ readonly whole: string; readonly broken: string }> {
  const [whole, broken] = [join(folder, 'whole.db'), join(folder, 'broken.db')]
  await rm(whole, { force: true })
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`attach '${whole}' as own (block_size ${BLOCK_BYTES})`)
  await connection.run('create table own.numbers as select 7 as seven; checkpoint own; detach own')
  connection.closeSync()
  const bytes = await readFile(whole)
  const at = bytes.indexOf(POINTER, HEADERS_BYTES)
  assert.ok(at > 0 && at < HEADERS_BYTES + BLOCK_BYTES, 'a pointer to the second part of the first block')
  bytes[at] = 0xd5
  const block = bytes.subarray(HEADERS_BYTES, HEADERS_BYTES + BLOCK_BYTES)
  block.writeBigUInt64LE(sumOfBlock(block.subarray(8)))
  await writeFile(broken, bytes)
  return { whole, broken }
}

const HEADERS_BYTES = 12_288
const BLOCK_BYTES = 16_384
const POINTER = Buffer.from('808080808080808001', 'hex')

function sumOfBlock(block: Buffer): bigint {
  const words = Array.from({ length: block.length / 8 }, (_, at) => block.readBigUInt64LE(at * 8))
  return words.reduce((sum, word) => sum ^ BigInt.asUintN(64, word * 0xbf58476d1ce4e5b9n), 5381n)
}

/** Reads the broken file, and puts the whole one into its place as soon as the process has met its fault. */
async function askWhileMended(asked: DuckDbProcess): Promise<unknown> {
  const { whole, broken } = await makeOwnFiles()
  await asked.run({ sql: 'select 1' }, LIMITS)
  const { pid } = asked
  const answer = asked.run(
    { sql: `select seven from read_duckdb('${broken}', table_name = 'numbers')` },
    LIMITS,
  )
  const ended = answer.catch(() => undefined)
  // The next process gets no statement before it says that it is ready, and this loop runs before such a message is read.
  const endsAt = performance.now() + LIMITS.timeoutMs
  while (asked.pid === pid && performance.now() < endsAt) await setImmediate()
  assert.notEqual(asked.pid, pid)
  renameSync(whole, broken)
  await ended
  return answer
}

test('a statement that reads runs once more when DuckDB met a fault of its own', async () => {
  assert.deepEqual(await askWhileMended(reader), [[7]])
  const { broken } = await makeOwnFiles()
  const { pid } = reader
  const sql = `select seven from read_duckdb('${broken}', table_name = 'numbers')`
  await assert.rejects(reader.run({ sql }, LIMITS), /INTERNAL Error/)
  assert.notEqual(reader.pid, pid)
  assert.deepEqual(await reader.run({ sql: 'select 2' }, LIMITS), [[2]])
})

test('a statement of a process that writes does not run again after such a fault', async () => {
  await assert.rejects(askWhileMended(writer), /INTERNAL Error/)
  assert.deepEqual(await writer.run({ sql: 'select 1' }, LIMITS), [[1]])
})
