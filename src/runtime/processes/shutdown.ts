/** How a process is asked to go: `signal` politely, `hurry` when somebody asked twice. */
export type Shutdown = { readonly signal: AbortSignal; readonly hurry: AbortSignal }

/**
 * A stop takes at most 10 seconds. This much of it belongs to what a process has in flight, the rest to closing
 * connections and to PostgreSQL.
 */
export const DRAIN_MAX_MS = 8_000

/**
 * One Ctrl-C can arrive twice: from the terminal, which tells the whole group, and from npm, which passes it on.
 * What comes within this time of the first is taken for its echo.
 */
const ECHO_MS = 1_000

/** A closed terminal says SIGHUP and means the end; without a terminal the signal is free to mean something else. */
const SIGNALS: readonly NodeJS.Signals[] = [
  'SIGTERM',
  'SIGINT',
  ...(hasTerminal() ? (['SIGHUP'] as const) : []),
]

/** Turns signals into abort signals. The first drains, the second hurries, the third ends the process. */
export function listenForShutdown(now: () => number = () => performance.now()): Shutdown {
  const polite = new AbortController()
  const hurry = new AbortController()
  let askedAt = Number.POSITIVE_INFINITY
  const onSignal = (): void => {
    if (!polite.signal.aborted) {
      askedAt = now()
      polite.abort()
      return
    }
    if (now() - askedAt < ECHO_MS) return
    hurry.abort()
    for (const name of SIGNALS) process.off(name, onSignal)
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return { signal: polite.signal, hurry: hurry.signal }
}

export function hasTerminal(): boolean {
  return process.stdout.isTTY
}
