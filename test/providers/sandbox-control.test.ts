import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sandboxClient } from '../../src/delivery/sandbox/client.ts'
import { sandboxFinder, saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import { SandboxControl } from '../../src/sandbox/control.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { sandboxAccess } from '../support/push/engine.ts'

const PATHS = [
  'GET /inbox',
  'POST /devices/android',
  'POST /devices/ios',
  'POST /devices/web',
  'GET /faults',
  'POST /faults',
  'DELETE /faults',
  'GET /nowhere',
]

test('without its token the control of the sandbox answers nobody', async (context) => {
  const { url, token } = await startControl(context)
  const wrong = [
    undefined,
    'Bearer ',
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    token,
    `Basic ${token}`,
  ]
  for (const asked of PATHS) {
    for (const authorization of wrong) {
      assert.deepEqual(await ask(url, asked, { authorization }), { status: 401, body: 'null' }, asked)
    }
  }
  assert.equal((await ask(url, 'GET /inbox', { authorization: `Bearer ${token}` })).status, 200)
})

test('a page whose name was bound to 127.0.0.1 is refused by its Host header', async (context) => {
  const { url, token } = await startControl(context)
  const { port, host: own } = new URL(url)
  const authorization = `Bearer ${token}`
  for (const host of [`evil.example:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port}.evil`]) {
    assert.deepEqual(
      await ask(url, 'GET /inbox', { authorization, host }),
      { status: 403, body: 'null' },
      host,
    )
  }
  assert.equal((await ask(url, 'GET /inbox', { authorization, host: own })).status, 200)
})

test('processes of Beckon find the token in a file that only its owner may read', async (context) => {
  const { url, token, access } = await startControl(context)
  const folder = await mkdtemp(join(tmpdir(), 'beckon-control-'))
  context.after(async () => rm(folder, { recursive: true }))
  await saveSandboxFile(folder, { ...access, controlUrl: url, controlToken: token })
  assert.equal((await stat(join(folder, 'sandbox.json'))).mode & 0o777, 0o600)
  const client = sandboxClient(sandboxFinder(folder))
  assert.deepEqual(await client.arrivals(), [])
  assert.notEqual(await client.newDevice('android', null), null)

  const stranger = sandboxClient(async () => ({ ...access, controlUrl: url, controlToken: 'guessed' }))
  assert.equal(await stranger.arrivals(), null)
  assert.equal(await stranger.newDevice('android', null), null)
})

async function startControl(context: TestContext) {
  const sandbox = await startSandbox()
  const control = new SandboxControl(sandbox)
  const url = await control.listen()
  context.after(async () => Promise.all([control.close(), sandbox.close()]))
  return { url, token: control.token, access: sandboxAccess(sandbox) }
}

type Asked = { readonly authorization?: string | undefined; readonly host?: string }

/** `fetch` does not let its caller choose the Host header. */
async function ask(url: string, asked: string, { authorization, host }: Asked) {
  const [method, path] = asked.split(' ')
  const { hostname, port } = new URL(url)
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(host === undefined ? {} : { host }),
  }
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        body += part
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
    })
    call.on('error', reject)
    call.end()
  })
}
