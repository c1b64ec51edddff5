import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fault } from '../domain/fault.ts'
import { accept, type Result, reject } from '../domain/result.ts'

export type BodyBounds = { readonly bytesMax: number; readonly timeoutMs: number }

export type Encoding = 'identity' | 'gzip'

/** The caller hung up before the request was whole. Nobody is left to reply to. */
export class CallerGone extends Error {}

/** The whole body in memory, inflated. The bound holds before and after decompression. */
export async function readBytes(raw: IncomingMessage, bounds: BodyBounds): Promise<Result<Buffer>> {
  const encoding = parseEncoding(raw.headers)
  if (!encoding.ok) return encoding
  if (Number(raw.headers['content-length'] ?? 0) > bounds.bytesMax) return tooLarge(bounds.bytesMax)

  const sent = await collect(raw, bounds)
  if (!sent.ok || encoding.value === 'identity') return sent
  return inflate(sent.value, bounds.bytesMax)
}

export function parseEncoding(headers: IncomingHttpHeaders): Result<Encoding> {
  const name = (headers['content-encoding'] ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return accept('identity')
  if (name === 'gzip' || name === 'x-gzip') return accept('gzip')
  return reject(fault('unsupported_encoding'))
}

/**
 * Reads to the end with listeners, not with `for await`: leaving such a loop early destroys the socket, and the
 * caller would never see why.
 */
async function collect(stream: Readable, bounds: BodyBounds): Promise<Result<Buffer>> {
  const { promise, resolve, reject: fail } = Promise.withResolvers<Result<Buffer>>()
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer): void => {
    size += chunk.length
    if (size > bounds.bytesMax) return resolve(tooLarge(bounds.bytesMax))
    chunks.push(chunk)
  }
  const end = (): void => resolve(accept(Buffer.concat(chunks, size)))
  const lose = (): void => {
    if (!stream.readableEnded) fail(new CallerGone('the caller hung up'))
  }
  const timer = setTimeout(() => resolve(reject(fault('request_timeout'))), bounds.timeoutMs)
  stream.on('data', take).on('end', end).on('error', lose).on('close', lose)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    stream.off('data', take).off('end', end).off('close', lose).pause()
  }
}

const inflateBytes = promisify(gunzip)

/** zlib can say no only by throwing, so this is one of the few places with a `catch`. */
async function inflate(bytes: Buffer, bytesMax: number): Promise<Result<Buffer>> {
  try {
    return accept(await inflateBytes(bytes, { maxOutputLength: bytesMax }))
  } catch (cause) {
    return isTooLarge(cause) ? tooLarge(bytesMax) : reject(fault('malformed_gzip'))
  }
}

function isTooLarge(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
}

export function tooLarge(max: number): Result<never> {
  return reject(fault('body_too_large', null, { max }))
}
