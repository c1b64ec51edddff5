import { setTimeout as wait } from 'node:timers/promises'

const LOOK_MS = 20
/** A look may start a program or open a connection: the pause after it is longer, so that what is waited for has the CPU. */
const PAUSE_PER_LOOK = 4
const PAUSE_MAX_MS = 200
/** Only a guard against a wait in vain: a slow machine may take long. */
const WAIT_MAX_MS = 8 * 60_000

export type Until = {
  /** What is waited for, for the failure's sake. */
  readonly what: string
  /** Why waiting became pointless. */
  readonly giveUp?: Promise<Error>
}

/** Looks again and again until the condition holds, and fails loudly when it never does. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { what, giveUp }: Until,
): Promise<void> {
  const stop = { why: null as Error | null }
  void giveUp?.then((why) => {
    stop.why = why
    return why
  })
  const giveUpAt = performance.now() + WAIT_MAX_MS
  for (;;) {
    const lookedAt = performance.now()
    if (await condition()) return
    const lookMs = performance.now() - lookedAt
    if (stop.why !== null) throw new Error(`waited for ${what}, but ${stop.why.message}`)
    if (performance.now() > giveUpAt) throw new Error(`waited in vain for ${what}`)
    await wait(Math.max(LOOK_MS, Math.min(PAUSE_MAX_MS, PAUSE_PER_LOOK * lookMs)))
  }
}
