import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadScripts } from '../../src/http/pages/load-scripts.ts'
import { userHash } from '../../src/runtime/secrets/user-hash.ts'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

test('a page reads and changes the preferences of its visitor, and after a login those of the person', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const demo = { page: '<!doctype html><title>shop</title>', style: '', script: '' }
  const server = await startServer({ deps: { scripts: await loadScripts(), demo } })
  context.after(server.close)
  const brand = await server.brand()
  const ask = async (path: string, body?: object, method = 'POST') =>
    call(server.port, { path, headers: keyHeaders(brand), method, ...(body === undefined ? {} : { body }) })
  for (const name of ['offers', 'orders']) await ask('/api/v1/topics', { name, title: name })
  const { body: made } = await ask('/api/v1/brand/identity-key')
  await ask('/api/v1/user/create', { nv: [{ userID: 'ann' }] })
  await ask('/api/v1/user/preferences', { userID: 'ann', opt_outs: ['orders'] }, 'PUT')

  const { page, problems } = await openPage(await startPlainChromium(context))
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname))
  await page.goto(`http://127.0.0.1:${server.port}/demo`)
  await page.addScriptTag({ url: '/sdk.js' })
  const run = async (...words: readonly unknown[]): Promise<Record<string, unknown>> =>
    Object(await page.evaluate(`beckon(...${JSON.stringify(words)})`))
  const options = { key: brand.publishableKey, worker: false, track: false }
  await run('init', options)
  assert.ok(!fetched.includes('/preferences.mjs'), 'the script is loaded on demand')

  const before = await run('preferences')
  assert.deepEqual(before['opt_outs'], [])
  assert.deepEqual(
    Array.from(Object(before['topics']), (topic) => Object(topic).name),
    ['offers', 'orders', 'transactional'],
  )
  assert.ok(fetched.includes('/preferences.mjs'))
  assert.deepEqual((await run('preferences', { opt_outs: ['offers'] }))['opt_outs'], ['offers'])
  await assert.rejects(run('preferences', { opt_outs: ['nothing'] }), /This brand has no topic nothing/)

  // The login is not awaited: the command after it is about the person all the same.
  const user = { userID: 'ann', user_hash: userHash(String(made['identity_key']), 'ann') }
  const both = await page.evaluate(
    `(beckon('user', ${JSON.stringify(user)}), beckon('preferences').then(({ opt_outs }) => opt_outs))`,
  )
  assert.deepEqual(both, ['offers', 'orders'])
  await run('preferences', { opt_outs: [] })
  const { body } = await call(server.port, {
    path: '/api/v1/user/preferences?userID=ann',
    headers: keyHeaders(brand),
  })
  assert.deepEqual(Object(body['preferences'])['opt_outs'], [])
  assert.deepEqual(
    problems.filter((problem) => !problem.startsWith('Failed to load resource')),
    [],
  )
})
