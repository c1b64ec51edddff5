import type { Verdict } from '../domain/push/verdict.ts'
import type { PreparedMessage, VerdictListener } from './channel.ts'

/** A message that is handed over by `post`, for callers that wait for its verdict, too. */
export function preparedMessage<Address>(post: PreparedMessage<Address>['post']): PreparedMessage<Address> {
  return { post, send: async (recipient) => awaitVerdict((listener) => post(recipient, listener)) }
}

/** The verdict that a listener is told. */
export async function awaitVerdict(post: (listener: VerdictListener) => void): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
  post({ onVerdict: resolve, onError: reject })
  return promise
}

/** Tells a listener the verdict that comes as a promise. */
export function tellVerdict(verdict: Promise<Verdict>, listener: VerdictListener): void {
  verdict.then(
    (given) => listener.onVerdict(given),
    (cause: unknown) => listener.onError(cause),
  )
}
