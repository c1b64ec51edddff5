import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMANDS, loadCommands } from '../../src/cli/commands.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { freshDatabase } from '../support/database/database.ts'
import { freshFolder, runBeckon } from '../support/processes/beckon.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
const SECRET = 'the secret of an operator, long enough'

/** The names of the fields of a documented shape, in order, at every depth. */
function documentedNames(command: string): readonly string[] {
  const line = PAGE.split('\n').find((row) => row.startsWith(`| \`bin/beckon ${command} `))
  const [, shape = ''] = /\| `(\{.*?\})`/.exec(line ?? '') ?? []
  return [...shape.matchAll(/"(\w+)"/g)].map(([, name = '']) => name)
}

/** The names in a document; of a list those of its first row. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return namesIn(value[0])
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)])
}

function field(value: unknown, name: string): unknown {
  return Object.entries(Object(value)).find(([key]) => key === name)?.[1]
}

test('every command that takes --json is documented, and those that list or report take it', async () => {
  const commands = await loadCommands(Object.keys(COMMANDS))
  const taking = commands.filter(({ flags }) => 'json' in flags).map(({ name }) => name)
  for (const name of taking) assert.notDeepEqual(documentedNames(name), [], name)
  const reporting = commands.map(({ name }) => name).filter((name) => / list$|^doctor$|^import$/.test(name))
  assert.deepEqual(taking.toSorted(), reporting.toSorted())
})

test('--json prints the documented document, with the same exit code and no secret', async (context) => {
  const { url, brand, drop } = await freshDatabase()
  context.after(drop)
  const folder = await freshFolder(context)
  const { externalId, secretKey } = await brand()
  const environment = {
    DATABASE_URL: url,
    BECKON_DATA_DIR: folder,
    BECKON_SECRET: SECRET,
    BECKON_PUBLIC_URL: 'https://beckon.example',
  }
  const file = join(folder, 'devices.ndjson')
  await writeFile(file, '{"platform":"android","token":"a:b","odd":1}\n{"platform":"none"}\n')
  const made = await runBeckon(
    ['member', 'add', 'grace@example.com', '--brand', externalId, '--role', 'owner'],
    environment,
  )
  const link = /\/auth\/link\/(\S+)/.exec(made.stdout)?.[1] ?? ''
  assert.notEqual(link, '')

  const commands = [
    { name: 'doctor', operands: [], code: EXIT.done },
    { name: 'brand list', operands: [], code: EXIT.done },
    { name: 'key list', operands: [externalId], code: EXIT.done },
    { name: 'member list', operands: [], code: EXIT.done },
    { name: 'import', operands: [file, '--brand', externalId], code: EXIT.partly },
  ]
  for (const { name, operands, code } of commands) {
    const json = await runBeckon([...name.split(' '), ...operands, '--json'], environment)
    const document: unknown = JSON.parse(json.stdout)
    assert.deepEqual(namesIn(document), documentedNames(name), name)
    // The database of tests is quick rather than durable, and the doctor says so.
    const isUnwell = field(document, 'ok') === false
    assert.equal(json.code, isUnwell ? EXIT.failed : code, `${name}: ${json.stderr}`)
    for (const secret of [secretKey, link, SECRET, new URL(url).password].filter((text) => text !== ''))
      assert.ok(!json.stdout.includes(secret), `${name} has a secret`)
  }
})

test('a failing command prints no document: the sentence stands on standard error', async () => {
  const away = { DATABASE_URL: 'postgres://beckon:word@127.0.0.1:1/beckon' }
  const list = await runBeckon(['brand', 'list', '--json'], away)
  assert.deepEqual([list.code, list.stdout], [1, ''])
  assert.match(list.stderr, /^Cannot use the database/)
  const doctor = await runBeckon(['doctor', '--json'], away)
  assert.equal(doctor.code, 1)
  const { ok, checks } = JSON.parse(doctor.stdout)
  assert.equal(ok, false)
  assert.equal(checks.find(({ name }: { readonly name: string }) => name === 'database').state, 'bad')
  assert.ok(!doctor.stdout.includes('word'))
})
