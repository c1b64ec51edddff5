import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientTypes } from '../support/reference/client-types.ts'
import { home } from './source.ts'

test('the types of beckon/client are those of the OpenAPI document; npm run docs writes them', () => {
  const folder = join(home, 'web/client/api')
  const files = globSync('*.ts', { cwd: folder }).toSorted()
  const written = new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const expected = clientTypes()
  assert.deepEqual(files, [...expected.keys()].toSorted())
  for (const [name, text] of expected) {
    assert.ok(written.get(name) === text, `web/client/api/${name} is out of step: npm run docs`)
  }
})
