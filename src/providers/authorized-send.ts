import type { Verdict } from '../domain/push/verdict.ts'
import type { AuthToken, TokenCache, TokenRecipe } from './token-cache.ts'
import type { ProviderAnswer } from './transport.ts'

type AuthorizedSend = {
  readonly recipe: TokenRecipe
  readonly post: (token: AuthToken) => Promise<ProviderAnswer>
  /** Whether the provider refused the token in a way that a new token cures. */
  readonly isStale: (answer: ProviderAnswer, token: AuthToken) => boolean
  readonly judge: (answer: ProviderAnswer) => Verdict
}

/** Sends with the cached token; if that is stale, once more with a new one, and never a third time. */
export async function sendAuthorized(tokens: TokenCache, send: AuthorizedSend): Promise<Verdict> {
  const minted = await tokens.get(send.recipe)
  if (minted.kind === 'none') return minted.verdict
  const answer = await send.post(minted.token)
  if (!send.isStale(answer, minted.token)) return send.judge(answer)
  const renewed = await tokens.renew(send.recipe, minted.token)
  return renewed.kind === 'none' ? renewed.verdict : send.judge(await send.post(renewed.token))
}
