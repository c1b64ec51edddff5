import type { IosCredential } from '../../domain/push/credential.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import type { ApnsEnvironment } from '../../rules/subscriptions.ts'
import { authorizedHeaders } from '../authorized-headers.ts'
import { sendAuthorized } from '../authorized-send.ts'
import type { Addressee, Channel, ChannelDeps, MessageContent, PreparedMessage } from '../channel.ts'
import { fillTemplate, type PayloadTemplate } from '../payload-template.ts'
import type { AuthToken, TokenRecipe } from '../token-cache.ts'
import type { ProviderAnswer, ProviderRoute, SharedHeaders } from '../transport.ts'
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
  readonly #origins: ApnsOrigins
  readonly #recipe: TokenRecipe

  constructor(deps: ChannelDeps, credential: IosCredential, origins: ApnsOrigins) {
    this.#deps = deps
    this.#credential = credential
    this.#origins = origins
    this.#recipe = apnsTokenRecipe(credential, deps.clock)
  }

  prepare(content: MessageContent): PreparedMessage<ApnsAddress> {
    const { bundleId } = this.#credential
    const { body, headers } = renderApns(content, { bundleId, now: this.#deps.clock.now() })
    const rendering = { body, headersWith: authorizedHeaders(headers, 'bearer ') }
    return { send: async (recipient) => this.#send(rendering, recipient) }
  }

  async #send(rendering: Rendering, recipient: Addressee<ApnsAddress>): Promise<Verdict> {
    const { clock, tokens } = this.#deps
    return sendAuthorized(tokens, {
      recipe: this.#recipe,
      post: async (token) => this.#post(rendering, recipient, token),
      isStale: (answer, token) =>
        apnsReason(answer) === 'ExpiredProviderToken' && mayMintAgain(token, clock.now()),
      judge: (answer) => this.#judge(answer, recipient),
    })
  }

  async #post(
    rendering: Rendering,
    recipient: Addressee<ApnsAddress>,
    token: AuthToken,
  ): Promise<ProviderAnswer> {
    const { address, deliveryId, collapseId, receipt } = recipient
    return this.#deps.transport.send({
      route: this.#routeOf(address),
      path: `/3/device/${encodeURIComponent(address.token)}`,
      headers: rendering.headersWith(token),
      ownHeaders: [
        ['apns-id', apnsIdOf(deliveryId)],
        ['apns-collapse-id', collapseHeader(collapseId)],
      ],
      body: fillTemplate(rendering.body, { deliveryId, collapseId, receipt, address: address.token }),
    })
  }

  #judge(answer: ProviderAnswer, { address }: Addressee<ApnsAddress>): Verdict {
    // APNs refuses everything else on this connection too, so that a new one is needed.
    const isSpoilt = apnsReason(answer) === 'TooManyProviderTokenUpdates'
    if (isSpoilt) this.#deps.transport.retire(this.#routeOf(address))
    return apnsVerdict(answer, this.#deps.clock.now())
  }

  /** APNs allows one team on a connection. A connection for each key is a simpler rule. */
  #routeOf(address: ApnsAddress): ProviderRoute {
    const environment = address.environment ?? this.#credential.environment
    return { origin: this.#origins[environment], partition: this.#recipe.name }
  }
}

type Rendering = {
  readonly body: PayloadTemplate
  readonly headersWith: (token: AuthToken) => SharedHeaders
}
