import type { AndroidCredential } from '../../domain/push/credential.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import { authorizedHeaders } from '../authorized-headers.ts'
import { sendAuthorized } from '../authorized-send.ts'
import type { Addressee, Channel, ChannelDeps, MessageContent, PreparedMessage } from '../channel.ts'
import { fillTemplate, type PayloadTemplate } from '../payload-template.ts'
import type { AuthToken, TokenRecipe } from '../token-cache.ts'
import type { ProviderAnswer } from '../transport.ts'
import { fcmTokenRecipe } from './auth.ts'
import { renderFcm } from './payload.ts'
import { fcmVerdict, isStaleToken } from './verdicts.ts'

type FcmAddress = { readonly token: string }

/** The addresses of Google. The settings can name others, for a test or a proxy. */
export type FcmUrls = { readonly origin: string; readonly tokenUrl: string }

export const FCM_URLS: FcmUrls = {
  origin: 'https://fcm.googleapis.com',
  tokenUrl: 'https://oauth2.googleapis.com/token',
}

/** A brand's channel to Android devices. */
export class FcmChannel implements Channel<FcmAddress> {
  readonly #deps: ChannelDeps
  readonly #origin: string
  readonly #path: string
  readonly #recipe: TokenRecipe
  readonly #headersWith = authorizedHeaders({ 'content-type': 'application/json' }, 'Bearer ')

  constructor(deps: ChannelDeps, credential: AndroidCredential, urls: FcmUrls) {
    this.#deps = deps
    this.#origin = urls.origin
    this.#path = `/v1/projects/${encodeURIComponent(credential.projectId)}/messages:send`
    this.#recipe = fcmTokenRecipe(credential, { ...deps, tokenUrl: urls.tokenUrl })
  }

  prepare(content: MessageContent): PreparedMessage<FcmAddress> {
    const template = renderFcm(content)
    return { send: async (recipient) => this.#send(template, recipient) }
  }

  async #send(template: PayloadTemplate, recipient: Addressee<FcmAddress>): Promise<Verdict> {
    return sendAuthorized(this.#deps.tokens, {
      recipe: this.#recipe,
      post: async (token) => this.#post(template, recipient, token),
      isStale: isStaleToken,
      judge: (answer) => fcmVerdict(answer, this.#deps.clock.now()),
    })
  }

  async #post(
    template: PayloadTemplate,
    recipient: Addressee<FcmAddress>,
    token: AuthToken,
  ): Promise<ProviderAnswer> {
    const { address, deliveryId, collapseId, receipt } = recipient
    return this.#deps.transport.send({
      route: { origin: this.#origin, partition: '' },
      path: this.#path,
      headers: this.#headersWith(token),
      body: fillTemplate(template, { deliveryId, collapseId, receipt, address: address.token }),
    })
  }
}
