import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { fault } from '../../domain/fault.ts'
import { accept, RejectionError, type Result, reject } from '../../domain/result.ts'
import { CallerGone, parseEncoding, tooLarge } from './body.ts'

/** The body as a stream, inflated; the stream fails when it grows past the bound. */
export function openStream(raw: IncomingMessage, bytesMax: number): Result<Readable> {
  const encoding = parseEncoding(raw.headers)
  if (!encoding.ok) return encoding
  if (Number(raw.headers['content-length'] ?? 0) > bytesMax) return tooLarge(bytesMax)

  // Plain pipes, because `pipeline` would destroy the socket, and the reply with it, when the reader stops.
  const bounded = boundedBy(bytesMax)
  raw.once('close', () => {
    if (!raw.complete) bounded.destroy(new CallerGone('the caller hung up'))
  })
  if (encoding.value === 'identity') return accept(raw.pipe(bounded))
  const inflated = createGunzip().once('error', () => {
    bounded.destroy(refusal(reject(fault('malformed_gzip'))))
  })
  return accept(raw.pipe(inflated).pipe(bounded))
}

function boundedBy(bytesMax: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, next) {
      size += chunk.length
      if (size > bytesMax) return next(refusal(tooLarge(bytesMax)))
      return next(null, chunk)
    },
  })
}

function refusal(result: Result<never>): Error {
  return result.ok ? new Error('nothing was refused') : new RejectionError(result.rejection)
}
