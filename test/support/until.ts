import { setTimeout as wait } from 'node:timers/promises'

const LOOK_MS = 20
/** Only a guard against a wait in vain: a slow machine may take long. */
const WAIT_MAX_MS = 4 * 60_000

export type Until = {
  /** What is waited for, for the failure's sake. */
  readonly what: string
  /** Why waiting became pointless. */
  readonly giveUp?: Promise<Error>
}

/** Looks until the condition holds; never sleeps longer than it has to, and fails loudly when it never does. */
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
  while (!(await condition())) {
    if (stop.why !== null) throw new Error(`waited for ${what}, but ${stop.why.message}`)
    if (performance.now() > giveUpAt) throw new Error(`waited in vain for ${what}`)
    await wait(LOOK_MS)
  }
}
