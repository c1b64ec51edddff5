import type { Readable, Writable } from 'node:stream'
import { type Client, DatabaseError } from 'pg'
import { from, to } from 'pg-copy-streams'
import type { SqlSession } from './session.ts'

/** A transaction that also takes rows as a stream: `copy … from stdin`. */
export type CopySession = SqlSession & { copyIn(text: string): Writable & Copied }

/** How many rows went through; known once the stream has ended. */
export type Copied = { readonly rowCount: number }

/**
 * The rows of a `copy … to stdout`, as bytes. A reader that stops before their end cuts the connection: the server
 * would go on sending, and the next statement would wait for ever.
 */
export function copyOut(client: Client, text: string): Readable & Copied {
  const rows = client.query(to(text))
  rows.once('close', () => {
    const isOver = rows.readableEnded || rows.errored instanceof DatabaseError
    if (!isOver) client.connection.stream.destroy()
  })
  return rows
}

/** Takes the bytes of a `copy … from stdin`. */
export function copyIn(client: Client, text: string): Writable & Copied {
  return client.query(from(text))
}
