/** The wait after a number of failures: longer each time, up to five minutes, with jitter to spread the browsers. */
export function backoffMs(failures: number, jitter: number, askedMs = 0): number {
  const calm = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1))
  return Math.max(askedMs, calm * (0.5 + jitter / 2))
}

const FIRST_MS = 1_000
const MAX_MS = 300_000
