/** `signal` aborts at the first request to stop, `hurry` at the second. */
export type Shutdown = { readonly signal: AbortSignal; readonly hurry: AbortSignal }

/**
 * A stop takes at most 10 seconds. The work in flight gets this part of it; the rest is for closing connections and
 * stopping PostgreSQL.
 */
export const DRAIN_MAX_MS = 8_000

/**
 * One Ctrl-C can arrive twice: from the terminal, which signals the whole process group, and from npm, which passes it
 * on. A second signal within this time is ignored.
 */
const ECHO_MS = 1_000

/** A closing terminal sends SIGHUP, which means stop. Without a terminal, SIGHUP means a rolling restart. */
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
