import type { Readable, Writable } from 'node:stream'
import type { ClientBase } from 'pg'
import { from, to } from 'pg-copy-streams'

/** How many rows went through; known once the stream has ended. */
export type Copied = { readonly rowCount: number }

/** The rows of a `copy … to stdout`, as bytes. */
export function copyOut(client: ClientBase, text: string): Readable & Copied {
  return client.query(to(text))
}

/** Takes the bytes of a `copy … from stdin`. */
export function copyIn(client: ClientBase, text: string): Writable & Copied {
  return client.query(from(text))
}
