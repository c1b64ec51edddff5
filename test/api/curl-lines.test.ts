import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { curlLine } from '../../src/http/reference/curl.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { startServer } from '../support/server.ts'
import { SITE, webBrand } from '../support/visitors.ts'

const server = await startServer()
const folder = await mkdtemp(join(tmpdir(), 'beckon-lines-'))
after(async () => {
  await rm(folder, { recursive: true })
  await server.close()
})
const brand = await webBrand(server)

/** Pastes the line of `/docs` into a shell, and gives back what it prints. */
async function paste(address: string): Promise<string> {
  const route = ROUTES.find(({ method, path }) => `${method} ${path}` === address)
  assert.ok(route)
  const env = {
    ...process.env,
    BECKON_URL: `http://127.0.0.1:${server.port}`,
    BECKON_BRAND_ID: brand.externalId,
    BECKON_API_KEY: brand.secretKey,
    BECKON_PUBLISHABLE_KEY: brand.publishableKey,
    BECKON_ORIGIN: SITE,
  }
  const { stdout } = await promisify(exec)(curlLine(route), { cwd: folder, env })
  return stdout
}

for (const address of ['POST /api/v1/subscriptions', 'POST /api/v1/visitors']) {
  test(`the curl line of ${address} works as pasted`, async () => {
    assert.equal(JSON.parse(await paste(address)).message, 'success')
  })
}

test('the curl line of the import takes a list that names no platform', async () => {
  await writeFile(join(folder, 'FILE'), 'token\na\n')
  assert.match(await paste('POST /api/v1/subscriptions/import'), /"imported":1,"updated":0,"refused":0/)
})

test('the curl line of a person asks for one', async () => {
  assert.equal(JSON.parse(await paste('GET /api/v1/user/userdata')).code, 'profile_not_found')
})

test('the curl line of a browser lacks only its token', async () => {
  assert.equal(JSON.parse(await paste('POST /api/v1/visitors/commands')).code, 'visitor_invalid')
})
