import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { startServer } from '../support/processes/server.ts'
import { addMember, Page } from '../support/team/members.ts'
import { OidcServer } from '../support/team/oidc-server.ts'

const NAME = 'login.example'
const authority = makeCertificate(Date.now())
setDefaultCACertificates([...getCACertificates('default'), authority.cert])
const certificate = makeCertificate(Date.now(), [NAME], authority)
const provider = await new OidcServer({ name: NAME, certificate }).listen()

/** The requests that the proxy got, each with its credential. */
const asked: string[] = []
const sockets = new Set<Socket>()
const proxy = createServer()
proxy.on('connect', ({ url, headers }: IncomingMessage, socket: Socket) => {
  asked.push(`${url} ${headers['proxy-authorization']}`)
  const target = connect({ port: provider.port, host: '127.0.0.1' })
  for (const end of [socket, target]) {
    sockets.add(end)
    end.on('error', () => undefined)
  }
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  socket.pipe(target).pipe(socket)
})
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')
const address = proxy.address()
assert.ok(typeof address === 'object' && address !== null)
const authorization = `Basic ${Buffer.from('beckon:p@ss:word').toString('base64')}`
const server = await startServer({
  oidc: provider,
  httpsProxy: { host: '127.0.0.1', port: address.port, authorization },
})
after(async () => {
  await server.close()
  for (const socket of sockets) socket.destroy()
  proxy.close()
  provider.close()
})

test('discovery, code and keys of the identity provider come through the proxy, which resolves its name', async () => {
  const brand = await server.brand()
  const { email } = await addMember(server, { brand })
  const page = new Page(server, brand)
  const { body, text } = await page.post('/auth/sign-in/oidc')
  const person = { sub: 'subject-1', email, email_verified: true, name: 'Grace' }
  assert.equal(typeof body['url'], 'string', text)
  const back = provider.consent(String(body['url']), person)
  const headers = { 'sec-fetch-site': 'cross-site' }
  const answer = await page.call({ method: 'GET', path: `${back.pathname}${back.search}`, headers })
  assert.equal(answer.status, 303, answer.text)
  assert.equal((await page.call({ path: '/api/v1/me' })).status, 200)
  assert.deepEqual([...new Set(asked)], [`${NAME}:443 ${authorization}`])
})
