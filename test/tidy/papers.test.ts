import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '../../src/rules/errors.ts'
import { home, readSources } from './source.ts'

const README_LINES_MAX = 150
const papers = globSync(['*.md', 'docs/**/*.md'], { cwd: home })

test('docs/errors.md has a row for every error and no other', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \|$/gm)]
  const written = rows.map(([, code, status, message]) => ({ code, status: Number(status), message }))
  const expected = Object.entries(ERRORS).map(([code, { status, message }]) => ({ code, status, message }))
  assert.deepEqual(written, expected)
})

test('the README can be read in one sitting', () => {
  assert.ok(read('README.md').split('\n').length <= README_LINES_MAX)
})

test('every link between our papers leads somewhere', () => {
  const dead = papers.flatMap((paper) =>
    [...read(paper).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(join(home, dirname(paper), target)))
      .map((target) => `${paper} -> ${target}`),
  )
  assert.deepEqual(dead, [])
})

test('every heading that a link between our papers names is there', () => {
  const dead = papers.flatMap((paper) =>
    [...read(paper).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)]
      .map(([, target = '', heading = '']) => ({ target: target || basename(paper), heading }))
      .filter(({ target, heading }) => !headingsOf(join(dirname(paper), target)).includes(heading))
      .map(({ target, heading }) => `${paper} -> ${target}#${heading}`),
  )
  assert.deepEqual(dead, [])
})

test('every file and folder of the code that our papers name in backticks is there', () => {
  const rooms = readdirSync(join(home, 'src')).filter((name) => !name.includes('.'))
  const isOurs = new RegExp(`^(?:src|web|test|bench|bin|docs|${rooms.join('|')})/[\\w./-]+$`)
  const missing = papers.flatMap((paper) =>
    [...read(paper).matchAll(/`([^`\n]+)`/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => isOurs.test(name) && !isThere(name) && !MADE_LATER.has(name))
      .map((name) => `${paper}: ${name}`),
  )
  assert.deepEqual(missing, [])
})

test('every line of SECURITY.md about a caller names a test that exists', () => {
  const [, table = ''] = read('SECURITY.md').split('## What each caller can cause, at worst')
  const rows = table
    .split('\n')
    .filter((line) => /^\| (?!-|at worst|caller)/.test(line) && !line.startsWith('|---'))
  assert.ok(rows.length > 30)
  const untested = rows.filter((row) => {
    const [, file = '', words = ''] = /`(test\/[\w./-]+)` “([^”]+)” \|$/.exec(row) ?? []
    return file === '' || !isThere(file) || !read(file).includes(words)
  })
  assert.deepEqual(untested, [])
})

/** Benchmarks make these folders when they run. */
const MADE_LATER = new Set(['bench/peers/', 'bench/results'])

/** Papers name a file of `src/` with or without `src/`. */
function isThere(name: string): boolean {
  return existsSync(join(home, name)) || existsSync(join(home, 'src', name))
}

test('the glossary is sorted, has each word once, and names types that exist', () => {
  const rows = [...read('docs/glossary.md').matchAll(/^\| (?!word|-)(.+?) \| .+ \| ?(?:`(\w+)` )?\|$/gm)]
  const words = rows.map(([, word]) => (word ?? '').toLowerCase())
  assert.ok(words.length > 50)
  assert.deepEqual(words, [...new Set(words)].toSorted())
  const source = readSources('src/**/*.ts').map(({ text }) => text)
  const lost = rows
    .flatMap(([, , type]) =>
      type === undefined ? [] : [new RegExp(`^export (?:type|class) ${type}\\b`, 'm')],
    )
    .filter((type) => !source.some((text) => type.test(text)))
  assert.deepEqual(lost, [])
})

test('every row of docs/spec-gaps.md names a test that exists', () => {
  const rows = [...read('docs/spec-gaps.md').matchAll(/^\| (?!gap|-)(.+?) \| (.+?) \| (.+?) \|$/gm)]
  assert.ok(rows.length > 0)
  const unproved = rows.filter(([, , , proof]) => {
    const files = [...(proof ?? '').matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? '')
    return files.length === 0 || files.some((file) => !existsSync(join(home, file)))
  })
  assert.deepEqual(
    unproved.map(([row]) => row),
    [],
  )
})

test('nothing names a registry host or records a download address', () => {
  assert.doesNotMatch(read('package-lock.json'), /"resolved": *"https?:/)
})

function read(path: string): string {
  return readFileSync(join(home, path), 'utf8')
}

/** As GitHub writes them in an address: small letters, hyphens, no other signs. */
function headingsOf(paper: string): readonly string[] {
  return [...read(paper).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}
