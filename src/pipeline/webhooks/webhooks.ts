import { judgeEndpoint, settleMessage } from '../../domain/webhooks/verdict.ts'
import type { Loop, LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import {
  type ClaimedMessage,
  claimWebhooks,
  releaseWebhooks,
  renewWebhooks,
  settleCall,
  type WebhookClaim,
} from '../../store/webhooks/queue.ts'
import { type Posted, postMessages, type WebhookDeps } from './post.ts'

/** How long a call stays with a worker that is not heard of, which holds up its endpoint; a slow one is renewed. */
const LEASE_MS = 15_000

/**
 * Tells endpoints what happened. Two loops share the work: one calls endpoints that are well, the other those whose last
 * call failed, so that whoever hangs or is down waits only behind others like it.
 */
export async function runWebhooks(deps: WebhookDeps, context: LoopContext): Promise<void> {
  const workerId = newId()
  await Promise.all(LANES.map(async (lane) => runLoop(callLoop(deps, workerId, lane), context)))
}

const LANES = [
  { name: 'webhooks', health: 'well', concurrency: 64, idle: { minMs: 50, maxMs: 250 } },
  { name: 'webhooks-failing', health: 'failing', concurrency: 32, idle: { minMs: 200, maxMs: 1_000 } },
] as const satisfies readonly Lane[]

type Lane = {
  readonly name: string
  readonly health: WebhookClaim['health']
  readonly concurrency: number
  readonly idle: Loop<Call, unknown>['idle']
}

/** The messages of one call; there is at least one, and all are for one endpoint. */
type Call = { readonly first: ClaimedMessage; readonly messages: readonly ClaimedMessage[] }

function callLoop(
  deps: WebhookDeps,
  workerId: string,
  { name, health, concurrency, idle }: Lane,
): Loop<Call, Posted | null> {
  const { database } = deps
  return {
    name,
    claim: async (calls) =>
      callsOf(await claimWebhooks(database, { workerId, calls, leaseMs: LEASE_MS, health })),
    work: async ({ first, messages }, signal) => postMessages(deps, refOf(first), messages, signal),
    settle: async (call, posted) => settle(deps, call, posted),
    lease: {
      ms: LEASE_MS,
      idOf: ({ first }) => first.id,
      renew: async (calls) => renewWebhooks(database, messagesOf(calls), { leaseMs: LEASE_MS }),
      release: async (calls) => releaseWebhooks(database, messagesOf(calls)),
    },
    concurrency,
    idle,
    wakeOn: 'webhooks',
  }
}

function refOf({ brandId, endpointId }: ClaimedMessage) {
  return { brandId, id: endpointId }
}

function messagesOf(calls: readonly Call[]): readonly ClaimedMessage[] {
  return calls.flatMap(({ messages }) => messages)
}

function callsOf(claimed: readonly ClaimedMessage[]): readonly Call[] {
  return [...Map.groupBy(claimed, ({ call }) => call).values()].flatMap((messages) => {
    const [first] = messages
    return first === undefined ? [] : [{ first, messages }]
  })
}

async function settle(
  { database }: WebhookDeps,
  { first, messages }: Call,
  posted: Posted | null,
): Promise<void> {
  // The endpoint was deleted; its messages are cleared away.
  if (posted === null) return
  const { answer, attempt, at: now } = posted
  const endpoint = judgeEndpoint(answer, now)
  const fates = messages.map((message) => ({
    message,
    fate: settleMessage(endpoint, { attempt: message.attempt + 1, now, jitter: Math.random() }),
  }))
  const outcome = {
    brandId: first.brandId,
    endpointId: first.endpointId,
    fates,
    endpoint,
    attempt,
    now,
  }
  await database.asEngine(async (tx) => settleCall(tx, outcome))
}
