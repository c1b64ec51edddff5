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

type AuthorizedMessage = {
  readonly calls: AuthorizedCalls
  readonly requestWith: (token: AuthToken) => ProviderRequest
}

type Deps = Pick<ChannelDeps, 'tokens' | 'transport'>

/**
 * Sends with the cached token; if that is stale, once more with a new one, and never a third time. While the token is at
 * hand and good, nothing is waited for but the answer.
 */
export function postAuthorized(deps: Deps, message: AuthorizedMessage, listener: VerdictListener): void {
  const { calls, requestWith } = message
  const token = deps.tokens.known(calls.recipe)
  if (token === null) return tellVerdict(sendMinted(deps, message), listener)
  const request = requestWith(token)
  return deps.transport.post(request, (answer) => {
    if (calls.isStale(answer, token)) return tellVerdict(sendRenewed(deps, message, token), listener)
    return listener.onVerdict(calls.judge(answer, request.route))
  })
}

async function sendMinted(deps: Deps, message: AuthorizedMessage): Promise<Verdict> {
  const { calls, requestWith } = message
  const minted = await deps.tokens.get(calls.recipe)
  if (minted.kind === 'none') return minted.verdict
  const request = requestWith(minted.token)
  const answer = await deps.transport.send(request)
  return calls.isStale(answer, minted.token)
    ? sendRenewed(deps, message, minted.token)
    : calls.judge(answer, request.route)
}

async function sendRenewed(deps: Deps, message: AuthorizedMessage, refused: AuthToken): Promise<Verdict> {
  const { calls, requestWith } = message
  const renewed = await deps.tokens.renew(calls.recipe, refused)
  if (renewed.kind === 'none') return renewed.verdict
  const request = requestWith(renewed.token)
  return calls.judge(await deps.transport.send(request), request.route)
}
