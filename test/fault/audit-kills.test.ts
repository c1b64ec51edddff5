import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { startProcess } from '../support/processes/killable-process.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const KILLS = atLength(20)
const PROGRAM = join(import.meta.dirname, 'audit-process.ts')

test('a process killed in the middle of changes leaves no change without its line, and no line without its change', async () => {
  const { brandId } = await brand()
  const count = async (): Promise<number> => {
    const { rows } = await database.query<{ made: number }>(
      'select count(*)::integer as made from topics where brand_id = $1',
      [brandId],
    )
    return rows[0]?.made ?? 0
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await count()
    const program = await startProcess({ file: PROGRAM, args: [url, String(brandId)] })
    await until(async () => (await count()) > before + 3, { what: 'changes to be made' })
    await program.kill()
  }
  const { rows } = await database.query<{ name: string | null; lines: string[] }>(
    `select topics.name, array_agg(line.action order by line.id) as lines
     from (select * from topics where brand_id = $1) as topics
     full join (select * from audit where brand_id = $1 and subject_type = 'topic') as line
       on line.subject_id = topics.name and line.request_id = topics.name
     group by topics.name`,
    [brandId],
  )
  assert.ok(rows.length > KILLS * 3)
  for (const { name, lines } of rows) {
    assert.notEqual(name, null, 'a line has no change')
    assert.deepEqual(lines, ['created', 'changed'])
  }
})
