import type { Verdict } from '../domain/push/verdict.ts'
import type { ChannelDeps, VerdictListener } from './channel.ts'
import type { AuthToken, TokenRecipe } from './token-cache.ts'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from './transport.ts'
import { tellVerdict } from './verdict-listener.ts'

/** How a channel authorizes its messages and judges the answers. */
export type AuthorizedCalls = {
  readonly recipe: TokenRecipe
  /** Whether the provider refused the token in a way that a new token cures. */
  readonly isStale: (answer: ProviderAnswer, token: AuthToken) => boolean
  readonly judge: (answer: ProviderAnswer, route: ProviderRoute) => Verdict
}

/** A message that was rendered once, for many recipients. */
type AuthorizedMessage<Recipient> = {
  readonly calls: AuthorizedCalls
  readonly requestOf: (recipient: Recipient, token: AuthToken) => ProviderRequest
}

type Deps = Pick<ChannelDeps, 'tokens' | 'transport'>

/**
 * Sends with the cached token; if that is stale, once more with a new one, and never a third time. While the token is at
 * hand and good, nothing is waited for but the answer.
 */
export function postAuthorized<Recipient>(
  deps: Deps,
  message: AuthorizedMessage<Recipient>,
  recipient: Recipient,
  listener: VerdictListener,
): void {
  const { calls, requestOf } = message
  const token = deps.tokens.known(calls.recipe)
  if (token === null) return tellVerdict(sendMinted(deps, message, recipient), listener)
  const request = requestOf(recipient, token)
  return deps.transport.post(request, (answer) => {
    // Status 200 is an acceptance at each of these providers, and nearly all answers have it.
    if (answer.kind === 'answered' && answer.status === 200) return listener.onVerdict(ACCEPTED)
    if (calls.isStale(answer, token)) {
      return tellVerdict(sendRenewed(deps, message, { recipient, refused: token }), listener)
    }
    return listener.onVerdict(calls.judge(answer, request.route))
  })
}

const ACCEPTED: Verdict = { kind: 'accepted' }

async function sendMinted<Recipient>(
  deps: Deps,
  message: AuthorizedMessage<Recipient>,
  recipient: Recipient,
): Promise<Verdict> {
  const { calls, requestOf } = message
  const minted = await deps.tokens.get(calls.recipe)
  if (minted.kind === 'none') return minted.verdict
  const request = requestOf(recipient, minted.token)
  const answer = await deps.transport.send(request)
  return calls.isStale(answer, minted.token)
    ? sendRenewed(deps, message, { recipient, refused: minted.token })
    : calls.judge(answer, request.route)
}

async function sendRenewed<Recipient>(
  deps: Deps,
  message: AuthorizedMessage<Recipient>,
  { recipient, refused }: { readonly recipient: Recipient; readonly refused: AuthToken },
): Promise<Verdict> {
  const { calls, requestOf } = message
  const renewed = await deps.tokens.renew(calls.recipe, refused)
  if (renewed.kind === 'none') return renewed.verdict
  const request = requestOf(recipient, renewed.token)
  return calls.judge(await deps.transport.send(request), request.route)
}
