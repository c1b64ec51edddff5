import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { excessFault } from '../../domain/values/json-bytes.ts'
import { type JsonBounds, JsonScanner, type LongList } from '../../domain/values/json-scanner.ts'
import { LIMITS } from '../../rules/limits.ts'
import { BodyBuffer } from './body-buffer.ts'

type BodyBounds = {
  readonly bytesMax: number
  readonly timeoutMs: number
  readonly json: JsonBounds
  /** Asked before a body grows beyond `LIMITS.bodyBytesMax`. */
  readonly memory: BodyMemory
}

/** Waits until so many bytes may be read; throws when they may not. */
export type BodyMemory = { readonly reserve: (bytes: number) => Promise<void> }

export type Encoding = 'identity' | 'gzip'

/** The caller hung up, so no reply can be sent. */
export class CallerGone extends Error {}

/** A body that is whole, inflated, and within its bounds, with the long lists found in it. */
type ScannedBody = { readonly bytes: Buffer; readonly longLists: readonly LongList[] }

/** The whole body in memory, inflated. Bytes and JSON are bounded while they arrive, compressed or not. */
export async function readBytes(raw: IncomingMessage, bounds: BodyBounds): Promise<Result<ScannedBody>> {
  const encoding = parseEncoding(raw.headers)
  if (!encoding.ok) return encoding
  const length = raw.headers['content-length']
  const expected = length === undefined ? null : Number(length)
  if (expected !== null && expected > bounds.bytesMax) return tooLarge(bounds.bytesMax)
  if (encoding.value === 'identity') return collect({ raw, source: raw, expected }, bounds)

  const source = createGunzip({ chunkSize: INFLATED_BYTES })
  try {
    return await collect({ raw, source: raw.pipe(source), expected: null }, bounds)
  } finally {
    raw.unpipe(source).pause()
    source.destroy()
  }
}

/** Larger than the pool of small buffers, so that the memory of a piece can be given back once it is copied. */
const INFLATED_BYTES = 128 * 1024

export function parseEncoding(headers: IncomingHttpHeaders): Result<Encoding> {
  const name = (headers['content-encoding'] ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return accept('identity')
  if (name === 'gzip' || name === 'x-gzip') return accept('gzip')
  return reject(fault('unsupported_encoding'))
}

/** `source` is the request itself, or the request inflated; `expected` is its size, null when nobody knows it yet. */
type Upload = { readonly raw: IncomingMessage; readonly source: Readable; readonly expected: number | null }

/**
 * Reads with listeners, not with `for await`: leaving such a loop early destroys the socket, and the caller would never
 * get the reply. Reading a large body pauses until memory is reserved for it.
 */
async function collect({ raw, source, expected }: Upload, bounds: BodyBounds): Promise<Result<ScannedBody>> {
  const { promise, resolve, reject: fail } = Promise.withResolvers<Result<ScannedBody>>()
  const buffer = new BodyBuffer(bounds.bytesMax)
  const scanner = new JsonScanner(bounds.json)
  const expire = (): void => resolve(reject(fault('request_timeout')))
  let timer = setTimeout(expire, bounds.timeoutMs)
  const makeRoom = async (): Promise<void> => {
    clearTimeout(timer)
    source.pause()
    await bounds.memory.reserve(expected ?? bounds.bytesMax)
    buffer.expect(expected)
    timer = setTimeout(expire, bounds.timeoutMs)
    source.resume()
  }
  const take = (chunk: Buffer): void => {
    const before = buffer.size
    if (before + chunk.length > bounds.bytesMax) return resolve(tooLarge(bounds.bytesMax))
    const excess = scanner.scan(chunk)
    // The buffer gives the memory of the chunk back.
    buffer.add(chunk)
    if (excess !== null) {
      const place = scanner.placeIn(buffer.takeAll())
      return resolve(reject(excessFault(excess, bounds.json, place)))
    }
    if (before <= LIMITS.bodyBytesMax && buffer.size > LIMITS.bodyBytesMax) makeRoom().catch(fail)
  }
  const end = (): void => resolve(accept({ bytes: buffer.takeAll(), longLists: scanner.longLists }))
  const lose = (): void => {
    if (!raw.readableEnded) fail(new CallerGone('the caller hung up'))
  }
  const refuseGzip = (): void => resolve(reject(fault('malformed_gzip')))
  raw.on('error', lose).on('close', lose)
  source.on('data', take).on('end', end)
  if (source !== raw) source.on('error', refuseGzip)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    source.off('data', take).off('end', end).pause()
    raw.off('close', lose)
  }
}

export function tooLarge(max: number): Result<never> {
  return reject(fault('body_too_large', null, { max }))
}
