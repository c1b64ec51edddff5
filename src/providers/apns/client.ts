import type { IosCredential } from '../../domain/push/credential.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import type { ApnsEnvironment } from '../../rules/subscriptions.ts'
import { authorizedHeaders } from '../authorized-headers.ts'
import { type AuthorizedCalls, postAuthorized } from '../authorized-send.ts'
import type { Addressee, Channel, ChannelDeps, MessageContent, PreparedMessage } from '../channel.ts'
import { fillTemplate, type PayloadTemplate } from '../payload-template.ts'
import type { AuthToken } from '../token-cache.ts'
import type { ProviderAnswer, ProviderRequest, ProviderRoute, SharedHeaders } from '../transport.ts'
import { preparedMessage } from '../verdict-listener.ts'
import { apnsTokenRecipe, mayMintAgain } from './auth.ts'
import { apnsIdOf, collapseHeader, renderApns } from './payload.ts'
import { apnsReason, apnsVerdict } from './verdicts.ts'

export type ApnsAddress = {
  readonly token: string
  /** Apple's environment that issued the token; null: that of the credential. */
  readonly environment: ApnsEnvironment | null
}

export type ApnsOrigins = Readonly<Record<ApnsEnvironment, string>>

export const APNS_ORIGINS: ApnsOrigins = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
}

/** A brand's channel to Apple's devices. */
export class ApnsChannel implements Channel<ApnsAddress> {
  readonly #deps: ChannelDeps
  readonly #credential: IosCredential
  readonly #routes: Readonly<Record<ApnsEnvironment, ProviderRoute>>
  readonly #calls: AuthorizedCalls

  constructor(deps: ChannelDeps, credential: IosCredential, origins: ApnsOrigins) {
    const recipe = apnsTokenRecipe(credential, deps.clock)
    // APNs allows one team on a connection. A connection for each key is a simpler rule.
    const routeTo = (origin: string): ProviderRoute => ({ origin, partition: recipe.name })
    this.#deps = deps
    this.#credential = credential
    this.#routes = { production: routeTo(origins.production), sandbox: routeTo(origins.sandbox) }
    this.#calls = {
      recipe,
      isStale: (answer, token) =>
        apnsReason(answer) === 'ExpiredProviderToken' && mayMintAgain(token, deps.clock.now()),
      judge: (answer, route) => this.#judge(answer, route),
    }
  }

  prepare(content: MessageContent): PreparedMessage<ApnsAddress> {
    const { bundleId } = this.#credential
    const { body, headers } = renderApns(content, { bundleId, now: this.#deps.clock.now() })
    const rendering = { body, headersWith: authorizedHeaders(headers, 'bearer ') }
    const requestOf = (recipient: Addressee<ApnsAddress>, token: AuthToken) =>
      this.#requestOf(rendering, recipient, token)
    const message = { calls: this.#calls, requestOf }
    return preparedMessage((recipient, listener) => postAuthorized(this.#deps, message, recipient, listener))
  }

  #requestOf(
    rendering: Rendering,
    { address, deliveryId, collapseId, receipt }: Addressee<ApnsAddress>,
    token: AuthToken,
  ): ProviderRequest {
    return {
      route: this.#routes[address.environment ?? this.#credential.environment],
      path: `/3/device/${encodeURIComponent(address.token)}`,
      headers: rendering.headersWith(token),
      ownHeaders: [
        ['apns-id', apnsIdOf(deliveryId)],
        ['apns-collapse-id', collapseHeader(collapseId)],
      ],
      body: fillTemplate(rendering.body, { deliveryId, collapseId, receipt, address: address.token }),
    }
  }

  #judge(answer: ProviderAnswer, route: ProviderRoute): Verdict {
    // APNs refuses everything else on this connection too, so that a new one is needed.
    const isSpoilt = apnsReason(answer) === 'TooManyProviderTokenUpdates'
    if (isSpoilt) this.#deps.transport.retire(route)
    return apnsVerdict(answer, this.#deps.clock.now())
  }
}

type Rendering = {
  readonly body: PayloadTemplate
  readonly headersWith: (token: AuthToken) => SharedHeaders
}
