import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { freshFolder } from '../support/processes/beckon.ts'
import { runProcess } from '../support/processes/processes.ts'
import { startServer } from '../support/processes/server.ts'

const run = promisify(execFile)
const HOME = join(import.meta.dirname, '../..')
const TSC = join(HOME, 'node_modules/.bin/tsc')

test('what npm packs of the client can be used by others', async (context) => {
  const app = await appWithClient(context)
  await context.test('a plain JavaScript program runs with it', async (inner) => provePlain(inner, app))
  await context.test('a strict TypeScript program is checked by its types', async () => proveTypes(app))
})

async function provePlain(context: TestContext, app: string): Promise<void> {
  const server = await startServer()
  context.after(server.close)
  const { secretKey } = await server.brand()
  const program = join(app, 'use.js')
  await writeFile(program, PROGRAM)
  const printed = await runProcess(program, [`http://127.0.0.1:${server.port}`, secretKey])
  assert.deepEqual(JSON.parse(printed), { stored: 'stored', refused: 'unauthenticated', isOurs: true })
}

/** Both ways in which projects find what they import. */
async function proveTypes(app: string): Promise<void> {
  await writeFile(join(app, 'use.ts'), TYPED_PROGRAM)
  const types = ['--types', 'node', '--typeRoots', join(HOME, 'node_modules/@types')]
  for (const module of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const args = ['--noEmit', '--strict', '--target', 'es2023', ...types, ...module, 'use.ts']
    await run(TSC, args, { cwd: app }).catch(({ stdout }) => assert.fail(stdout))
  }
}

/** An empty project with the packed client in it, as an installation without a network leaves it. */
async function appWithClient(context: TestContext): Promise<string> {
  const folder = await freshFolder(context)
  // Packed from a copy, because packing builds, and tests leave nothing in the checkout.
  for (const part of ['web/client', 'src/platform.d.ts', 'tsconfig.json']) {
    await cp(join(HOME, part), join(folder, 'beckon', part), { recursive: true })
  }
  await symlink(join(HOME, 'node_modules'), join(folder, 'beckon/node_modules'))
  const app = join(folder, 'app')
  const home = join(app, 'node_modules/beckon')
  await mkdir(home, { recursive: true })
  await writeFile(join(app, 'package.json'), '{ "type": "module" }')
  const cache = ['--cache', join(folder, 'cache')]
  await run('npm', ['pack', '../beckon/web/client', '--offline', ...cache], { cwd: app })
  await run('tar', ['-xzf', 'beckon-0.1.0.tgz', '-C', home, '--strip-components=1'], { cwd: app })
  return app
}

const PROGRAM = `
import { Client } from 'beckon/client'
import { BeckonError } from 'beckon/client/failure'

const [url, key] = process.argv.slice(2)
const beckon = new Client({ url, key })
const tracked = beckon.track({ userID: 'ada', event_name: 'looked', attributes: {} })
await beckon.close()
const refusal = await new Client({ url, key: 'wrong' }).call('GET /api/v1/brand').catch((error) => error)
const isOurs = refusal instanceof BeckonError
console.log(JSON.stringify({ stored: (await tracked).kind, refused: refusal.code, isOurs }))
`

const TYPED_PROGRAM = `
import { Client } from 'beckon/client'
import { BeckonError } from 'beckon/client/failure'

const beckon = new Client({ url: 'http://localhost:8080', key: 'x' })
const body = { user_id: 'ada', title: 'Hi', message: 'x' }
const { notification } = await beckon.call('POST /api/v1/web/send', { body })
export const id: string = notification.id
export const isOurs = (error: unknown): boolean => error instanceof BeckonError
// @ts-expect-error: there is no such endpoint
await beckon.call('POST /api/v1/nowhere')
// @ts-expect-error: a message needs a text
await beckon.call('POST /api/v1/web/send', { body: { user_id: 'ada', title: 'Hi' } })
`
