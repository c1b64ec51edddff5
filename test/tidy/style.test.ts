import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'
import { readSources, roomOf, type SourceFile } from './source.ts'

const LINES_MAX = 300
const BANNED_NAMES =
  /^(?:common|misc|manager|service|data|info|handle|process|types)$|(?:^|-)(?:utils?|helpers?)(?:-|$)/

/** Rules of the house that a pattern can see, with the few places that break one on purpose and why. */
const RULES = [
  { name: '`as` only in `as const`', pattern: /\bas (?!const\b)[A-Za-z{[]/, except: [] },
  { name: 'no non-null `!`', pattern: /[\w)\]]!(?:[.;,)\]]|\s*$)/m, except: [] },
  { name: 'no `any`', pattern: /:\s*any\b|<any>/, except: [] },
  { name: 'no default export', pattern: /^export default/m, except: [] },
  { name: 'no barrel', pattern: /^export (?:\*|\{[^}]*\}) from/m, except: [] },
  { name: 'no enum', pattern: /^(?:export )?(?:const )?enum\b/m, except: [] },
  { name: 'no bare TODO', pattern: /\b(?:TODO|FIXME|XXX)\b/, except: [] },
] as const satisfies readonly { name: string; pattern: RegExp; except: readonly string[] }[]

const sources = [...readSources('src/**/*.ts'), ...readSources('web/**/*.ts'), ...readSources('web/**/*.tsx')]

for (const { name, pattern, except } of RULES) {
  test(name, () => {
    const allowed: readonly string[] = except
    assert.deepEqual(
      pathsWhere(({ path, code }) => pattern.test(withoutImports(code)) && !allowed.includes(path)),
      [],
    )
  })
}

test(`no file is longer than ${LINES_MAX} lines`, () => {
  assert.deepEqual(
    pathsWhere(({ text }) => text.split('\n').length > LINES_MAX),
    [],
  )
})

test('no file bears a name that says nothing', () => {
  assert.deepEqual(
    pathsWhere(({ path }) => BANNED_NAMES.test(basename(path, '.ts'))),
    [],
  )
})

test('rules hold no functions, the domain no clock, dice, environment, log or await', () => {
  assert.deepEqual(pathsIn('rules', /\bfunction\b|=>/), [])
  assert.deepEqual(
    pathsIn('domain', /\bDate\.now\b|\bMath\.random\b|\bprocess\.|\bconsole\.|\bawait\b|Temporal\.Now/),
    [],
  )
})

test('nothing is exported that is never used', () => {
  const uses = new Map<string, number>()
  for (const { text } of [...sources, ...readSources('test/**/*.ts'), ...readSources('bench/**/*.ts')]) {
    for (const [word] of text.matchAll(/\w+/g)) uses.set(word, (uses.get(word) ?? 0) + 1)
  }
  const unused = sources.flatMap(({ path, text }) =>
    [...text.matchAll(EXPORTED)]
      .map(([, name = '']) => name)
      .filter((name) => uses.get(name) === 1)
      .map((name) => `${path}: ${name}`),
  )
  assert.deepEqual(unused, [])
})

const EXPORTED = /^export (?:async )?(?:function\*?|const|let|class|type) (\w+)/gm

test('no name is exported by two files of src', () => {
  const paths = new Map<string, string[]>()
  for (const { path, text } of sources.filter((source) => source.path.startsWith('src/'))) {
    for (const [, name = ''] of text.matchAll(EXPORTED)) {
      paths.set(name, [...(paths.get(name) ?? []), path])
    }
  }
  assert.deepEqual(
    [...paths]
      .filter(([, exporters]) => exporters.length > 1)
      .map(([name, exporters]) => `${name}: ${exporters.join(', ')}`),
    [],
  )
})

test('only config.ts reads the environment', () => {
  assert.deepEqual(
    pathsWhere(({ path, code }) => /\bprocess\.env\b/.test(code) && path !== 'src/config.ts'),
    [],
  )
})

test('SQL is written in the store alone', () => {
  const sql = /`\s*(?:select|insert into|update|delete from|with \w+ as)\b/
  assert.deepEqual(
    pathsWhere(({ path, text }) => roomOf(path) !== 'store' && sql.test(text)),
    [],
  )
})

function pathsIn(room: string, pattern: RegExp): readonly string[] {
  return pathsWhere(({ path, code }) => roomOf(path) === room && pattern.test(code))
}

function pathsWhere(isWrong: (file: SourceFile) => boolean): readonly string[] {
  return sources.filter(isWrong).map(({ path }) => path)
}

/** `import * as x` and `import { a as b }` are names, not claims about a type. */
function withoutImports(code: string): string {
  return code.replaceAll(/^import[\s\S]*?from.*$/gm, '')
}
