import type { LoopContext } from './loop.ts'
import { runLoop } from './run.ts'

/** A loop that looks at the database every few seconds and claims no work. */
export async function watch(name: string, look: () => Promise<void>, context: LoopContext): Promise<void> {
  await runLoop(
    {
      name,
      claim: async () => {
        await look()
        return []
      },
      work: async () => undefined,
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: WATCH_MS, maxMs: WATCH_MS },
    },
    context,
  )
}

const WATCH_MS = 5_000
