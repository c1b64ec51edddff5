import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/** `here` → `away` when a probe fails after a failed call or a broken stream; `away` → `here` when one succeeds. */
let isAway = false
let isProbing = false
const watchers = new Set<() => void>()
const returns = new Set<() => void>()

/** Whether the server does not answer at present. */
export function useIsAway(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => isAway,
  )
}

/** Told each time the server answers again. */
export function useReturn(listener: () => void): void {
  const tell = useEffectEvent(listener)
  useEffect(() => onReturn(() => tell()), [])
}

function onReturn(listener: () => void): () => void {
  returns.add(listener)
  return () => returns.delete(listener)
}

/** A call got no answer, or the stream broke off. One lost answer is no outage, so the server is asked first. */
export function suspectAway(): void {
  if (isProbing) return
  isProbing = true
  void probe()
}

/** Asks until the server answers. */
async function probe(): Promise<void> {
  while (!(await answers())) {
    if (!isAway) {
      isAway = true
      for (const watcher of watchers) watcher()
    }
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
  }
  isProbing = false
  if (!isAway) return
  isAway = false
  for (const watcher of watchers) watcher()
  for (const listener of returns) listener()
}

const PROBE_MS = 2_000
const PROBE_MS_MAX = 10_000

/** A proxy in front of a Beckon that restarts answers in its place, with an error. */
async function answers(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS_MAX) })).ok
  } catch {
    return false
  }
}

/** Resolves when the server answers, which may be at once. */
export async function untilHere(): Promise<void> {
  if (!isAway && (await answers())) return
  suspectAway()
  await new Promise<void>((resolve) => {
    const leave = onReturn(() => {
      leave()
      resolve()
    })
  })
}
