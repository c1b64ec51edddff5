import { createHash, createHmac } from 'node:crypto'

export type S3Keys = { readonly id: string; readonly secret: string }

/** A call of the S3 protocol before it is signed. */
export type S3Call = {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly host: string
  /** The path from the root on, not encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Further headers to sign, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** The SHA-256 of the body, in hex. */
  readonly bodyHash: string
}

type Signer = { readonly keys: S3Keys; readonly region: string; readonly now: number }

/** The call as it is sent: the path with its query, and all headers. */
export type SignedCall = { readonly path: string; readonly headers: Readonly<Record<string, string>> }

/** Signs a call with Signature Version 4. */
export function signCall(call: S3Call, { keys, region, now }: Signer): SignedCall {
  const at = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = at.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const headers = {
    ...call.headers,
    host: call.host,
    'x-amz-content-sha256': call.bodyHash,
    'x-amz-date': at,
  }
  const signed = Object.entries(headers).toSorted(byName)
  const names = signed.map(([name]) => name).join(';')
  const path = call.path.split('/').map(encoded).join('/')
  const query = Object.entries(call.query ?? {})
    .toSorted(byName)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&')
  const lines = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join('')
  const canonical = [call.method, path, query, lines, names, call.bodyHash].join('\n')
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256Hex(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secret}`)
  const signature = hmac(key, text).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope},SignedHeaders=${names},Signature=${signature}`
  return { path: query === '' ? path : `${path}?${query}`, headers: { ...headers, authorization } }
}

/** The hash of a call without a body. */
export const NO_BODY_HASH = sha256Hex('')

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** S3 encodes all signs but letters, digits and four others; `encodeURIComponent` leaves five more. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The order of bytes, which is that of the protocol. */
function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1
}
