import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { call, keyHeaders, startServer } from '../support/server.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8')
const CALLS = [...GUIDE.matchAll(/^call '?(\/[^\s']+)'?(?: -d '(.*)')?$/gm)]

const server = await startServer()
after(server.close)

test('every call of the guide to events works, in the order it is told', async () => {
  const headers = keyHeaders(await server.brand())
  assert.equal(CALLS.length, GUIDE.match(/^call /gm)?.length)
  for (const [, path = '', body] of CALLS) {
    const { status, text } = await call(server.port, { path, headers, ...(body !== undefined && { body }) })
    assert.equal(status, 200, `${path}: ${text}`)
    assert.doesNotMatch(text, /"(?:warnings|unprocessed)":/, path)
  }
})
