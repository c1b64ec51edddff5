import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Certificate } from '../../../src/sandbox/certificate.ts'

/** What an ID token says, in place of the truth. */
export type Claims = Readonly<Record<string, unknown>>

type Key = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject }

/** A small OpenID Connect provider on loopback, which can be told to lie. */
export class OidcServer {
  readonly clientId = 'beckon-client'
  readonly clientSecret = 'the-secret-of-the-client'
  /** Claims that replace the right ones in the next ID tokens. */
  lies: Claims = {}
  /** Whether the reply has an ID token at all. */
  hasIdToken = true
  /** Fields that replace the right ones in the discovery document. */
  addresses: Readonly<Record<string, string>> = {}
  /** Another address to which the discovery document is moved. */
  movedTo: string | null = null
  readonly #server: Server
  readonly #name: string | null
  readonly #codes = new Map<string, Claims>()
  #key = makeKey()
  #published: readonly Key[] = [this.#key]

  /** With a certificate the provider speaks TLS, under a name that only a proxy knows. */
  constructor(secure: { readonly name: string; readonly certificate: Certificate } | null = null) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response)
    this.#name = secure?.name ?? null
    this.#server =
      secure === null ? createServer(answer) : createSecureServer({ ...secure.certificate }, answer)
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  get issuer(): string {
    return this.#name === null ? `http://127.0.0.1:${this.port}` : `https://${this.#name}`
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** From now on another key signs. */
  rotate(): void {
    this.#key = makeKey()
    this.#published = [this.#key]
  }

  /** Signs with a key that is not published. */
  forge(): void {
    this.#key = makeKey()
  }

  /** Lets a person sign in at the address that Beckon made, and gives the address that leads back. */
  consent(address: string, person: Claims): URL {
    const asked = new URL(address)
    const code = randomBytes(16).toString('hex')
    this.#codes.set(code, { ...person, nonce: asked.searchParams.get('nonce') })
    const back = new URL(asked.searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', asked.searchParams.get('state') ?? '')
    return back
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.movedTo !== null && request.url?.startsWith('/.well-known/') === true) {
      response.writeHead(302, { location: this.movedTo }).end()
      return
    }
    const body = await this.#bodyOf(request)
    response.setHeader('content-type', 'application/json')
    response.statusCode = body === null ? 400 : 200
    response.end(JSON.stringify(body ?? { error: 'invalid_request' }))
  }

  async #bodyOf(request: IncomingMessage): Promise<object | null> {
    const { issuer } = this
    switch (request.url ?? '') {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          id_token_signing_alg_values_supported: ['ES256'],
          ...this.addresses,
        }
      case '/keys':
        return {
          keys: this.#published.map(({ kid, publicKey }) => ({
            ...publicKey.export({ format: 'jwk' }),
            kid,
            alg: 'ES256',
            use: 'sig',
          })),
        }
      case '/token':
        return this.#exchange(new URLSearchParams(await text(request)))
      default:
        return null
    }
  }

  #exchange(form: URLSearchParams): object | null {
    const code = form.get('code') ?? ''
    const claims = this.#codes.get(code)
    this.#codes.delete(code)
    if (claims === undefined || form.get('code_verifier') === null) return null
    const now = Math.floor(Date.now() / 1000)
    const facts = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 300, ...claims, ...this.lies }
    const token = { access_token: 'an access token', token_type: 'Bearer', expires_in: 300 }
    return this.hasIdToken ? { ...token, id_token: this.#sign(facts) } : token
  }

  #sign(claims: Claims): string {
    const { kid, privateKey } = this.#key
    const parts = [{ alg: 'ES256', kid, typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const signature = createSign('sha256')
      .update(parts.join('.'))
      .sign({ key: privateKey, dsaEncoding: 'ieee-p1363' })
    return [...parts, signature.toString('base64url')].join('.')
  }
}

function makeKey(): Key {
  return { kid: randomBytes(8).toString('hex'), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
}
