import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { LIMITS } from '../../rules/limits.ts'
import { BytePile } from './byte-pile.ts'

export type BodyBounds = {
  readonly bytesMax: number
  readonly timeoutMs: number
  /** Asked before a body grows beyond what any request may have. */
  readonly memory: BodyMemory
}

/** Waits until so many bytes may be read; throws when they may not. */
export type BodyMemory = { readonly reserve: (bytes: number) => Promise<void> }

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
  return inflate(sent.value, bounds)
}

export function parseEncoding(headers: IncomingHttpHeaders): Result<Encoding> {
  const name = (headers['content-encoding'] ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return accept('identity')
  if (name === 'gzip' || name === 'x-gzip') return accept('gzip')
  return reject(fault('unsupported_encoding'))
}

/**
 * Reads to the end with listeners, not with `for await`: leaving such a loop early destroys the socket, and the
 * caller would never see why. A large body is not read on until there is room for it.
 */
async function collect(stream: IncomingMessage, bounds: BodyBounds): Promise<Result<Buffer>> {
  const { promise, resolve, reject: fail } = Promise.withResolvers<Result<Buffer>>()
  const pile = new BytePile()
  const expire = (): void => resolve(reject(fault('request_timeout')))
  let timer = setTimeout(expire, bounds.timeoutMs)
  const makeRoom = async (): Promise<void> => {
    clearTimeout(timer)
    stream.pause()
    const expected = Number(stream.headers['content-length'] ?? bounds.bytesMax)
    await bounds.memory.reserve(expected)
    pile.expect(expected)
    timer = setTimeout(expire, bounds.timeoutMs)
    stream.resume()
  }
  const take = (chunk: Buffer): void => {
    const before = pile.size
    pile.add(chunk)
    if (pile.size > bounds.bytesMax) return resolve(tooLarge(bounds.bytesMax))
    if (before <= LIMITS.bodyBytesMax && pile.size > LIMITS.bodyBytesMax) makeRoom().catch(fail)
  }
  const end = (): void => resolve(accept(pile.takeAll()))
  const lose = (): void => {
    if (!stream.readableEnded) fail(new CallerGone('the caller hung up'))
  }
  stream.on('data', take).on('end', end).on('error', lose).on('close', lose)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    stream.off('data', take).off('end', end).off('close', lose).pause()
  }
}

const inflateBytes = promisify(gunzip)

/** What turns out to be large is inflated a second time, when there is room for it. */
async function inflate(bytes: Buffer, { bytesMax, memory }: BodyBounds): Promise<Result<Buffer>> {
  const small = await tryInflate(bytes, Math.min(bytesMax, LIMITS.bodyBytesMax))
  if (small !== 'too large') return small
  if (bytesMax <= LIMITS.bodyBytesMax) return tooLarge(bytesMax)
  await memory.reserve(bytesMax)
  const large = await tryInflate(bytes, bytesMax)
  return large === 'too large' ? tooLarge(bytesMax) : large
}

/** zlib can say no only by throwing, so this is one of the few places with a `catch`. */
async function tryInflate(bytes: Buffer, maxOutputLength: number): Promise<Result<Buffer> | 'too large'> {
  try {
    return accept(await inflateBytes(bytes, { maxOutputLength }))
  } catch (cause) {
    return isTooLarge(cause) ? 'too large' : reject(fault('malformed_gzip'))
  }
}

function isTooLarge(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
}

export function tooLarge(max: number): Result<never> {
  return reject(fault('body_too_large', null, { max }))
}
