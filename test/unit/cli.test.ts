import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { banner, publicUrl } from '../../src/cli/banner.ts'
import { defineCommand } from '../../src/cli/command.ts'
import { COMMANDS, loadCommands } from '../../src/cli/commands.ts'
import { UsageError } from '../../src/cli/exit.ts'
import { helpCommand, helpOverview } from '../../src/cli/help.ts'
import { columns, countRows, wrap } from '../../src/cli/terminal.ts'
import { HOME } from '../../src/config.ts'
import { runBeckon } from '../support/processes/beckon.ts'

const WIDTH_MAX = 140
const NAMES = Object.keys(COMMANDS)
const commands = await loadCommands(NAMES)

for (const command of commands) {
  test(`beckon ${command.name} --help names all that can be typed, in lines a terminal can show`, () => {
    const lines = helpCommand(command)
    const page = lines.join('\n')
    assert.ok(page.startsWith(`Usage: bin/beckon ${command.name} `))
    assert.match(command.summary, /\.$/)
    for (const { name } of command.operands) assert.match(page, new RegExp(`^  ${name} +\\S`, 'm'))
    for (const flag of Object.keys(command.flags))
      assert.match(page, new RegExp(`^  --${flag}\\b.* {2}\\S`, 'm'))
    for (const example of command.examples) assert.match(example, /bin\/beckon /)
    // Only bin/beckon exists, so a hint without it cannot be pasted.
    assert.doesNotMatch(page, /(?<![\w/.-])beckon [a-z-]/)
    for (const line of lines) assert.ok(line.length <= WIDTH_MAX, line)
  })
}

test('the overview has every command once', () => {
  const overview = helpOverview(commands)
  for (const { name } of commands) {
    assert.equal(overview.filter((line) => line.startsWith(`  ${name} `)).length, 1, name)
  }
  assert.deepEqual(
    commands.map(({ name }) => name),
    NAMES,
  )
})

test('npm start becomes Beckon itself, so that a signal to npm reaches it', () => {
  const { scripts } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
  // Without exec a shell stands between the two: it dies of SIGTERM alone, and Beckon runs on with nobody above it.
  for (const name of ['start', 'beckon']) assert.match(scripts[name], /^exec sh bin\/beckon\b/)
})

test('every command that the README and the pages for whoever runs Beckon type exists', () => {
  for (const page of ['docs/going-live.md', 'docs/operating.md', 'README.md']) {
    const text = readFileSync(join(HOME, page), 'utf8')
    for (const [, words = ''] of text.matchAll(/bin\/beckon ((?:[a-z]+ ?){1,2})/g)) {
      const [first = '', second = ''] = words.split(' ')
      const isKnown = NAMES.includes(first) || NAMES.includes(`${first} ${second}`)
      assert.ok(isKnown || first === 'help', `${page}: beckon ${words}`)
    }
  }
})

const heard: unknown[] = []
const sample = defineCommand({
  name: 'sample',
  summary: 'For this test.',
  operands: [{ name: 'FILE', meaning: 'A file.' }],
  flags: {
    loud: { type: 'boolean', meaning: 'Shouts.' },
    scope: { type: 'string', value: 'SCOPE', meaning: 'Several.', multiple: true },
  },
  run: async (flags, operands) => {
    heard.push({ ...flags }, operands)
  },
})

test('flags and operands reach the command parsed', async () => {
  heard.length = 0
  await sample.run(['--scope', 'a', 'x.txt', '--scope=b', '--loud'])
  assert.deepEqual(heard, [{ loud: true, scope: ['a', 'b'] }, ['x.txt']])
})

const MISTYPED: ReadonlyArray<readonly [readonly string[], RegExp]> = [
  [[], /^FILE is missing: see bin\/beckon sample --help\.$/],
  [['a', 'b'], /^"b" is one word too many: see/],
  [['a', '--what'], /^Unknown option '--what': see/],
  [['a', '--scope'], /argument missing: see/],
  [['a', '--loud=yes'], /does not take an argument: see/],
]

for (const [args, sentence] of MISTYPED) {
  test(`mistyped: sample ${args.join(' ')} is answered with one sentence`, async () => {
    await assert.rejects(sample.run(args), (error) => {
      assert.ok(error instanceof UsageError)
      assert.match(error.message, sentence)
      return true
    })
  })
}

test('an address that means everywhere is shown as one that can be called', () => {
  assert.equal(publicUrl('0.0.0.0', 80), 'http://127.0.0.1:80')
  assert.equal(publicUrl('::', 80), 'http://[::1]:80')
  assert.equal(publicUrl('10.0.0.7', 8080), 'http://10.0.0.7:8080')
})

test('a start without new keys shows none, and says how to make one', () => {
  const text = banner({ url: 'http://127.0.0.1:8080', demo: null, heldSince: null, memberLink: null }).join(
    '\n',
  )
  assert.doesNotMatch(text, /bk_|curl/)
  assert.match(text, /^A new key: bin\/beckon key create BRAND\./m)
})

test('bin/beckon needs no other Node once its own is installed', async () => {
  const env = { PATH: '/nowhere', HOME: '/nowhere' }
  const sh = promisify(execFile)
  const tools = (await sh('sh', ['-c', 'dirname "$(command -v readlink)"'])).stdout.trim()
  const folder = mkdtempSync(join(tmpdir(), 'beckon-path-'))
  try {
    for (const tool of ['readlink', 'dirname']) symlinkSync(join(tools, tool), join(folder, tool))
    const { stdout } = await sh('/bin/sh', [join(HOME, 'bin/beckon'), '--help'], {
      env: { ...env, PATH: folder },
    })
    assert.match(stdout, /^Usage: bin\/beckon COMMAND/m)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('one row is not called rows', () => {
  assert.deepEqual([0, 1, 1_000].map(countRows), ['0 rows', '1 row', '1,000 rows'])
})

test('columns line up, and lines break between words', () => {
  assert.deepEqual(
    columns([
      ['a', 'b'],
      ['long', 'c'],
    ]),
    ['a     b', 'long  c'],
  )
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three'])
})

for (const family of ['brand', 'key', 'type-lock']) {
  test(`beckon ${family} --help shows the commands that begin so`, async () => {
    const { code, stdout, stderr } = await runBeckon([family, '--help'])
    assert.deepEqual([code, stderr], [0, ''])
    for (const name of NAMES) assert.equal(stdout.includes(`  ${name}`), name.startsWith(`${family} `))
  })
}
