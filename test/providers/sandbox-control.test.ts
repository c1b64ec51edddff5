import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sandboxClient } from '../../src/delivery/sandbox/client.ts'
import { loadSandboxSeed, sandboxFinder, saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import { VIRTUAL_LIMITS } from '../../src/rules/virtual-devices.ts'
import { SandboxControl } from '../../src/sandbox/control.ts'
import { Inbox } from '../../src/sandbox/inbox.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { sandboxAccess } from '../support/push/engine.ts'

const PATHS = [
  'GET /inbox',
  'POST /watched',
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

test('the messages of a watched device outlast a flood to others, and are those of the device at any port', () => {
  const inbox = new Inbox(10)
  const add = (address: string, collapseId: string): void =>
    inbox.add({ platform: 'web', address, arrivedAt: 0, collapseId, headers: {}, payload: {} })
  const own = 'https://localhost:1/wpush/v2/own'
  const idsOf = (): readonly (string | null)[] => inbox.watch(own).map(({ collapseId }) => collapseId)
  add(own, 'before')
  assert.deepEqual(idsOf(), ['before'])
  for (let count = 0; count < 100; count += 1) add('https://localhost:1/wpush/v2/other', 'flood')
  add('https://localhost:2/wpush/v2/own', 'after')
  assert.deepEqual(idsOf(), ['before', 'after'])
  for (let count = 0; count < 100; count += 1) add(own, String(count))
  assert.deepEqual([idsOf().length, idsOf().at(-1)], [2 * VIRTUAL_LIMITS.messagesMax, '99'])
})

test('the seed of the browsers is made once, and only its owner may read it', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-seed-'))
  context.after(async () => rm(folder, { recursive: true }))
  const seed = await loadSandboxSeed(folder)
  assert.deepEqual([seed.length, await loadSandboxSeed(folder)], [32, seed])
  assert.equal((await stat(join(folder, 'sandbox.seed'))).mode & 0o777, 0o600)
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
