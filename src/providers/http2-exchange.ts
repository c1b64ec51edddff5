import { type ClientHttp2Stream, constants } from 'node:http2'
import { AnswerBody } from './answer-body.ts'
import type { Settle } from './connection.ts'
import type { PoolLimits } from './pool-limits.ts'
import type { Answer } from './transport.ts'

export type Exchange = {
  readonly limits: PoolLimits
  /** Whether the peer has said that it never processed this stream. Asked once the stream has closed. */
  readonly isUnprocessed: (stream: ClientHttp2Stream) => boolean
  /** The peer let the time run out: its connection may be dead. */
  readonly onTimeout: () => void
  readonly settle: Settle
}

/**
 * Waits for the answer on one stream and settles exactly once. As soon as a status has come the outcome is known,
 * whatever happens to the body; without one it depends on whether the peer can have processed the request.
 */
export function awaitAnswer(stream: ClientHttp2Stream, exchange: Exchange): void {
  const { limits } = exchange
  const body = new AnswerBody(limits.answerBytesMax)
  let status = 0
  let retryAfter: string | null = null
  let isSettled = false

  function finish(otherwise: () => Answer): void {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    exchange.settle(status === 0 ? otherwise() : { kind: 'answered', status, retryAfter, body: body.text() })
  }

  /** Settles first: on a blocked socket the reset may never get out, and `close` would not come. */
  function abandon(reason: string): void {
    finish(() => ({ kind: 'lost', reason }))
    stream.close(constants.NGHTTP2_CANCEL)
  }

  const timer = setTimeout(() => {
    exchange.onTimeout()
    abandon('timeout')
  }, limits.answerMs)

  stream.on('response', (headers, flags) => {
    status = headers[':status'] ?? 0
    retryAfter = headers['retry-after'] ?? null
    const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
    if (isWhole) stream.resume()
    else stream.on('data', (chunk: Buffer) => body.take(chunk) || abandon('answer too large'))
  })
  // What went wrong is read off the stream when it closes, which always follows.
  stream.on('error', () => undefined)
  stream.on('close', () => {
    finish(() =>
      exchange.isUnprocessed(stream)
        ? { kind: 'unsent', reason: 'stream refused' }
        : { kind: 'lost', reason: 'connection lost' },
    )
  })
}
