import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '../../src/rules/errors.ts'
import { home } from './source.ts'

const README_LINES_MAX = 150

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
  const papers = globSync(['*.md', 'docs/**/*.md'], { cwd: home })
  const dead = papers.flatMap((paper) =>
    [...read(paper).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(join(home, dirname(paper), target)))
      .map((target) => `${paper} -> ${target}`),
  )
  assert.deepEqual(dead, [])
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
