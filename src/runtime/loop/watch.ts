import type { LoopContext } from './loop.ts'
import { runLoop } from './run.ts'

/** A loop that looks at the database every few seconds, or every `everyMs`, and claims no work. */
export async function watch(
  { name, everyMs = WATCH_MS }: { readonly name: string; readonly everyMs?: number },
  look: () => Promise<void>,
  context: LoopContext,
): Promise<void> {
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
      idle: { minMs: everyMs, maxMs: everyMs },
    },
    context,
  )
}

const WATCH_MS = 8_000
