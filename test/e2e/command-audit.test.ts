import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMANDS } from '../../src/cli/commands.ts'
import type { Database } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runBeckon } from '../support/processes/beckon.ts'

const EXPORT_FOLDER = join(mkdtempSync(join(tmpdir(), 'beckon-export-')), 'acme')

/** The commands in the order in which they are run, with the lines that each leaves: type and action. */
const STEPS: readonly (readonly [command: string, args: readonly string[], lines: readonly string[]])[] = [
  ['brand create', ['acme'], ['brand created']],
  ['key create', ['acme', '--label', 'till'], ['key created']],
  ['key revoke', ['acme', '1'], ['key changed']],
  ['member link', [], ['sign_in_link created']],
  [
    'member add',
    ['grace@example.com', '--brand', 'acme', '--role', 'editor'],
    ['member created', 'membership created', 'sign_in_link created'],
  ],
  ['member remove', ['grace@example.com'], ['member deleted', 'membership deleted']],
  ['hold', [], ['sending held']],
  ['resume', [], ['sending resumed']],
  ['export', [EXPORT_FOLDER, '--brand', 'acme', '--parquet'], ['events exported']],
  ['brand restore', ['acme'], ['brand restored']],
  ['brand delete', ['acme', '--confirm', 'acme'], ['brand deleted']],
]

/** The commands that change nothing of the log, or are looked at elsewhere. */
const OTHERS: Readonly<Record<string, string>> = {
  start: 'serves',
  api: 'serves',
  worker: 'serves',
  sandbox: 'serves',
  migrate: 'changes no row that a person made',
  'brand list': 'reads',
  'key list': 'reads',
  'member list': 'reads',
  'member reset': 'test/e2e/member-command.test.ts',
  'type-lock reset': 'test/e2e/type-lock-command.test.ts',
  import: 'writes profiles and subscriptions, which have no lines',
  backup: 'reads',
  restore: 'brings the lines of the backup; --hold: test/store/restore-owner.test.ts',
  doctor: 'reads',
}

test('every command is in one of the two lists', () => {
  const known = [...STEPS.map(([command]) => command), ...Object.keys(OTHERS)]
  assert.deepEqual(known.toSorted(), Object.keys(COMMANDS).toSorted())
})

async function lineIds(database: Database): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>('select id from audit')
  return rows.map(({ id }) => id)
}

test('every command that changes something leaves its lines, with the command line as their author', async (context) => {
  const { url, database, drop } = await freshDatabase()
  context.after(drop)
  for (const [command, args, lines] of STEPS) {
    if (command === 'brand restore')
      await database.query(
        `update brands set deleted_at = now(), restorable_until = now() + interval '1 day'`,
      )
    const before = await lineIds(database)
    const { code, stderr } = await runBeckon([...command.split(' '), ...args], { DATABASE_URL: url })
    assert.equal(code, 0, `${command}: ${stderr}`)
    const { rows } = await database.query<{ actor: string; line: string }>(
      `select actor, subject_type || ' ' || action as line from audit where id <> all ($1::uuid[])`,
      [before],
    )
    assert.deepEqual(rows.map(({ line }) => line).toSorted(), lines.toSorted(), command)
    assert.deepEqual([...new Set(rows.map(({ actor }) => actor))], ['cli'], command)
  }
})
