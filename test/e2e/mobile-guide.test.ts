import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { call, type RunningServer, startServer } from '../support/processes/server.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/mobile.md'), 'utf8')
const CALLS = [...GUIDE.matchAll(/^curl \$BECKON_URL(\S+) (.*)\\\n {2}-d '(.*)'$/gm)]

let server: RunningServer
before(async () => {
  server = await startServer()
})
after(async () => server.close())

test('every call of the guide for apps does what it says, in the order it is told', async () => {
  const brand = await server.brand()
  assert.equal(CALLS.length, 6)
  for (const [, path = '', headers = '', body = ''] of CALLS) {
    const key = headers.includes('authorization') ? { authorization: `Bearer ${brand.secretKey}` } : {}
    const { status, body: reply } = await call(server.port, { path, headers: key, body: JSON.parse(body) })
    // The token in the guide stands for a real one, and is known to be none.
    const expected = path.endsWith('/receipts') ? [400, 'receipt_invalid'] : [200, undefined]
    assert.deepEqual([status, reply['code']], expected, `${path}: ${JSON.stringify(reply)}`)
    assert.equal(reply['warnings'], undefined, `${path}: ${JSON.stringify(reply['warnings'])}`)
  }
})
