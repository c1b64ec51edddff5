import type { ClientConfig } from 'pg'
import type { Listener } from '../notify.ts'
import type { PrimaryHosts } from './primary-hosts.ts'

type Listening = {
  readonly hosts: PrimaryHosts
  readonly session: ClientConfig
  readonly channel: string
  readonly signal: AbortSignal
}

/** Listens to a channel with one connection, until it breaks or the signal aborts. */
export async function listenUntilEnd(
  { hosts, session, channel, signal }: Listening,
  { onReady, onMessage }: Listener,
): Promise<void> {
  const client = new hosts.Client(session)
  const ended = Promise.withResolvers<void>()
  // `end` during a connect never settles; a destroyed socket fails the connect at once.
  const close = (): void => void client.connection.stream.destroy()
  client.on('notification', ({ payload = '' }) => onMessage(payload))
  client.on('error', () => undefined)
  client.on('end', () => ended.resolve())
  signal.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    // An abort during the search for the server found no socket to destroy.
    if (signal.aborted) return
    await client.query(`listen ${channel}`)
    onReady()
    await ended.promise
  } finally {
    signal.removeEventListener('abort', close)
    await client.end()
  }
}
