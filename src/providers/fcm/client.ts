import type { AndroidCredential } from '../../domain/push/credential.ts'
import { authorizedHeaders } from '../authorized-headers.ts'
import { type AuthorizedCalls, postAuthorized } from '../authorized-send.ts'
import type { Addressee, Channel, ChannelDeps, MessageContent, PreparedMessage } from '../channel.ts'
import { fillTemplate, type PayloadTemplate } from '../payload-template.ts'
import type { AuthToken } from '../token-cache.ts'
import type { ProviderRequest, ProviderRoute } from '../transport.ts'
import { preparedMessage } from '../verdict-listener.ts'
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
  readonly #route: ProviderRoute
  readonly #path: string
  readonly #calls: AuthorizedCalls
  readonly #headersWith = authorizedHeaders({ 'content-type': 'application/json' }, 'Bearer ')

  constructor(deps: ChannelDeps, credential: AndroidCredential, urls: FcmUrls) {
    this.#deps = deps
    this.#route = { origin: urls.origin, partition: '' }
    this.#path = `/v1/projects/${encodeURIComponent(credential.projectId)}/messages:send`
    this.#calls = {
      recipe: fcmTokenRecipe(credential, { ...deps, tokenUrl: urls.tokenUrl }),
      isStale: isStaleToken,
      judge: (answer) => fcmVerdict(answer, deps.clock.now()),
    }
  }

  prepare(content: MessageContent): PreparedMessage<FcmAddress> {
    const template = renderFcm(content)
    const requestOf = (recipient: Addressee<FcmAddress>, token: AuthToken) =>
      this.#requestOf(template, recipient, token)
    const message = { calls: this.#calls, requestOf }
    return preparedMessage((recipient, listener) => postAuthorized(this.#deps, message, recipient, listener))
  }

  #requestOf(
    template: PayloadTemplate,
    { address, deliveryId, collapseId, receipt }: Addressee<FcmAddress>,
    token: AuthToken,
  ): ProviderRequest {
    return {
      route: this.#route,
      path: this.#path,
      headers: this.#headersWith(token),
      body: fillTemplate(template, { deliveryId, collapseId, receipt, address: address.token }),
      isAcceptedBodyRead: false,
    }
  }
}
