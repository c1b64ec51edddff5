import { useSyncExternalStore } from 'react'

/** A call that changed something, as its method, address and body. */
export type DoneCall = {
  readonly method: string
  readonly url: string
  readonly body: string | null
  readonly at: number
}

const KEPT_MAX = 20

/** The newest first. They are forgotten with the page, because a body may hold a secret. */
let done: readonly DoneCall[] = []
const listeners = new Set<() => void>()

/** A call to the same address takes the place of the one before: a draft that stores itself is one action. */
export function noteDone(call: DoneCall): void {
  const [last, ...others] = done
  const isSame = last?.method === call.method && last.url === call.url
  done = [call, ...(isSame ? others : done)].slice(0, KEPT_MAX)
  for (const listener of listeners) listener()
}

export function useDoneCalls(): readonly DoneCall[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => done,
  )
}
