import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { type CopySession, copyIn, copyOut } from './copy.ts'
import { transactOnce } from './session.ts'

/** The caller of a question, who may go away while it is answered. */
export type QuestionCaller = {
  /** Aborts when nobody wants the answer any more. */
  readonly signal: AbortSignal
  /** Takes the notices that the statements of the question raise. */
  readonly onNotice?: (message: string) => void
}

export type AskedQuestion = QuestionCaller & {
  /** Null for a question about all brands. */
  readonly brandId: number | null
  /** All statements of the question see the rows of one instant. */
  readonly isOfOneInstant?: boolean
}

/** The transaction of a question. It can also read very many rows as a stream of bytes, `copy … to stdout`, and take them. */
export type QuestionSession = CopySession & {
  copyOut(text: string): Readable
  readonly signal: AbortSignal
}

const CHECK_MS = 1_000

/**
 * The settings of a transaction that may be cut off. It is read-only, so there is nothing that a cut could leave half
 * done. The server looks every second whether the connection still stands, and ends the statement if it does not.
 */
export const CHECKED = `set local client_connection_check_interval = ${CHECK_MS}`
export const CUTTABLE = `set transaction read only; ${CHECKED}`

/** The server has ended the statement by then, unless it is very slow. */
const ENDED_MS = CHECK_MS + 250

/**
 * Answers a question in one transaction, which `begin` begins with `CUTTABLE`. When the signal aborts, the connection is
 * cut; `borrow` drops it. The server then ends the statement by itself: no cancel request is sent, which could
 * arrive late and meet another transaction of the same session (decision 0034). The question is over only then: a caller
 * who asks and hangs up, again and again, would otherwise have more statements at work than there are connections.
 */
export async function answerQuestion<Value>(
  { client, begin }: { readonly client: PoolClient; readonly begin: string },
  { signal, onNotice }: QuestionCaller,
  work: (tx: QuestionSession) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted()
  let isCut = false
  const cut = (): void => {
    isCut = true
    client.connection.stream.destroy()
  }
  const tell = ({ message }: { readonly message?: string | undefined }): void => onNotice?.(message ?? '')
  signal.addEventListener('abort', cut, { once: true })
  client.on('notice', tell)
  try {
    const { value } = await transactOnce(
      { client, begin, mark: null },
      async (tx) =>
        work({
          ...tx,
          copyOut: (text) => copyOut(client, text),
          copyIn: (text) => copyIn(client, text),
          signal,
        }),
      () => undefined,
    )
    return value
  } finally {
    signal.removeEventListener('abort', cut)
    client.off('notice', tell)
    if (isCut) await wait(ENDED_MS)
  }
}
