import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { errorCode, reasonOf } from '../errors.ts'
import { readObjectPage, type StoredObject } from './object-page.ts'
import { ObjectStoreError } from './object-store-error.ts'
import { NO_BODY_HASH, type S3Call, type S3Keys, signCall } from './sign.ts'

export type S3Place = {
  /** The server, such as `https://s3.eu-central-1.amazonaws.com`. The bucket is a part of the path. */
  readonly server: string
  readonly region: string
  readonly bucket: string
  /** The beginning of all names, without a `/` at its end; empty for the whole bucket. */
  readonly prefix: string
  readonly keys: S3Keys
  /** The time of a whole call, and of silence in it. */
  readonly callMs?: number
  readonly silentMs?: number
}

/** The content of a file or an object. The hash is SHA-256, in hex. */
export type FileContent = { readonly bytes: number; readonly sha256: string }

type FileBody = { readonly path: string; readonly bytes: number }

type AskOptions = {
  /** The object, for messages. */
  readonly name: string
  readonly body?: FileBody
  readonly signal?: AbortSignal | undefined
}

const CONNECTIONS = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2 }

/** A bucket of an S3-compatible store. Every call is bounded in time; every failure is an `ObjectStoreError`. */
export class S3Store {
  readonly #place: S3Place
  readonly #server: URL
  readonly #agents = { http: new HttpAgent(CONNECTIONS), https: new HttpsAgent(CONNECTIONS) }

  constructor(place: S3Place) {
    this.#place = place
    this.#server = new URL(place.server)
  }

  /** Stores a file. The store compares the hash, so an object is whole or not there. */
  async put(name: string, path: string, { bytes, sha256 }: FileContent): Promise<void> {
    const call = { method: 'PUT', path: this.#pathOf(name), bodyHash: sha256 } as const
    await this.#ask(call, { name, body: { path, bytes } }, drain)
  }

  /** Fetches an object into a file. Throws if it has another size or another hash. */
  async fetch(
    name: string,
    path: string,
    wanted: FileContent & { readonly signal?: AbortSignal },
  ): Promise<void> {
    const call = { method: 'GET', path: this.#pathOf(name), bodyHash: NO_BODY_HASH } as const
    const found = await this.#ask(call, { name, signal: wanted.signal }, async (answer) =>
      saved(answer, path, wanted),
    )
    if (found.bytes !== wanted.bytes || found.sha256 !== wanted.sha256) {
      throw new ObjectStoreError(
        'damaged',
        `the object ${name} has another content than the file that was stored`,
      )
    }
  }

  /** Removes an object. One that is not there is no failure. */
  async remove(name: string): Promise<void> {
    const call = { method: 'DELETE', path: this.#pathOf(name), bodyHash: NO_BODY_HASH } as const
    await this.#ask(call, { name }, drain)
  }

  /** All objects under the prefix. */
  async *list(): AsyncGenerator<StoredObject> {
    const { bucket, prefix } = this.#place
    const before = prefix === '' ? '' : `${prefix}/`
    let next: string | null = null
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query = { 'list-type': '2', prefix: before, 'encoding-type': 'url' }
      const call = {
        method: 'GET',
        path: `/${bucket}`,
        query: next === null ? query : { ...query, 'continuation-token': next },
        bodyHash: NO_BODY_HASH,
      } as const
      const text: string = await this.#ask(call, { name: 'list' }, readText)
      const found = readObjectPage(text)
      for (const { name, bytes } of found.objects) {
        if (name.startsWith(before)) yield { name: name.slice(before.length), bytes }
      }
      next = found.next
      if (next === null) return
    }
    throw new ObjectStoreError('refused', `the store has more than ${PAGES_MAX} pages of objects`)
  }

  close(): void {
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  #pathOf(name: string): string {
    const { bucket, prefix } = this.#place
    return prefix === '' ? `/${bucket}/${name}` : `/${bucket}/${prefix}/${name}`
  }

  async #ask<Value>(
    call: Omit<S3Call, 'host'>,
    { name, body, signal }: AskOptions,
    read: (answer: IncomingMessage) => Promise<Value>,
  ): Promise<Value> {
    const { keys, region, callMs = CALL_MS } = this.#place
    const limit = AbortSignal.timeout(callMs)
    const stop = signal === undefined ? limit : AbortSignal.any([signal, limit])
    const signed = signCall({ ...call, host: this.#server.host }, { keys, region, now: Date.now() })
    try {
      const answer = await this.#send({ ...signed, method: call.method }, body, stop)
      const { statusCode: status = 0 } = answer
      if (status >= 200 && status < 300) return await read(answer)
      throw troubleOf(name, status, await readText(answer))
    } catch (cause) {
      // A caller who is gone gets the reason; everything else on the way is trouble of the store.
      signal?.throwIfAborted()
      if (cause instanceof ObjectStoreError || isOfDisk(cause)) throw cause
      const reason = limit.aborted ? 'it took too long' : reasonOf(cause)
      throw new ObjectStoreError('away', `the object store did not answer (${name}): ${reason}`)
    }
  }

  async #send(
    {
      method,
      path,
      headers,
    }: { readonly method: string; readonly path: string; readonly headers: S3Call['headers'] },
    body: FileBody | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const { protocol, hostname, port } = this.#server
    // Proxies may change these two, so they are not signed.
    const plain = body && { 'content-length': body.bytes, 'content-type': 'application/vnd.apache.parquet' }
    const options = {
      method,
      path,
      headers: { ...headers, ...plain },
      signal,
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
    }
    const request =
      protocol === 'https:'
        ? httpsRequest({ ...options, agent: this.#agents.https, minVersion: 'TLSv1.2' })
        : httpRequest({ ...options, agent: this.#agents.http })
    request.on('response', resolve)
    request.on('error', reject)
    request.on('close', () => reject(new Error('the connection ended without an answer')))
    request.setTimeout(this.#place.silentMs ?? SILENT_MS, () =>
      request.destroy(new Error('the store is silent')),
    )
    if (body === undefined) request.end()
    // A store that refuses a file may answer before it has read all of it; its answer says more than the broken pipe.
    else pipeline(createReadStream(body.path), request).catch(reject)
    return promise
  }
}

const CALL_MS = 300_000
const SILENT_MS = 20_000
/** A page has up to 1000 objects. */
const PAGES_MAX = 1_000
const TEXT_BYTES_MAX = 4 * 1_048_576

function troubleOf(name: string, status: number, text: string): ObjectStoreError {
  const [, code = ''] = /<Code>([\w.]{1,60})<\/Code>/.exec(text) ?? []
  const message = `the object store answered ${status}${code === '' ? '' : ` ${code}`} (${name})`
  if (status === 404 && code !== 'NoSuchBucket') return new ObjectStoreError('missing', message)
  return new ObjectStoreError(status >= 500 || status === 429 ? 'away' : 'refused', message)
}

/** A full disk of ours is no trouble of the store. */
function isOfDisk(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'ENOENT', 'EACCES', 'EROFS', 'EIO'].includes(errorCode(cause) ?? '')
}

async function drain(answer: IncomingMessage): Promise<void> {
  await readText(answer)
}

async function readText(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer) {
    if (!Buffer.isBuffer(part)) continue
    bytes += part.length
    if (bytes > TEXT_BYTES_MAX)
      throw new ObjectStoreError('refused', 'the object store answered with too many bytes')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Writes the answer to a file, up to the size that it should have. */
async function saved(
  answer: IncomingMessage,
  path: string,
  { bytes: bytesMax }: FileContent,
): Promise<FileContent> {
  const hash = createHash('sha256')
  let bytes = 0
  await pipeline(
    answer,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > bytesMax) throw new ObjectStoreError('damaged', 'an object is larger than its file was')
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  )
  return { bytes, sha256: hash.digest('hex') }
}
