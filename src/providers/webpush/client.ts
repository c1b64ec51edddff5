import { createHash } from 'node:crypto'
import type { Verdict } from '../../domain/push/verdict.ts'
import { type BrowserFamily, PLATFORMS } from '../../rules/platforms.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import { authorizedHeaders } from '../authorized-headers.ts'
import type { Addressee, Channel, ChannelDeps, MessageContent, PreparedMessage } from '../channel.ts'
import { fillTemplate, type PayloadTemplate } from '../payload-template.ts'
import type { AuthToken, Minted, TokenRecipe } from '../token-cache.ts'
import type { SharedHeaders } from '../transport.ts'
import { preparedMessage, tellVerdict } from '../verdict-listener.ts'
import { vapidRecipe, type WebPushCredential } from './auth.ts'
import type { Encryptor } from './encrypt-pool.ts'
import { renderWebPush } from './payload.ts'
import { webPushVerdict } from './verdicts.ts'

export type WebPushAddress = {
  readonly endpoint: string
  /** The subscription's keys, base64url. */
  readonly p256dh: string
  readonly auth: string
  readonly family: BrowserFamily | null
  /** The VAPID key that the subscription was made with; null: the brand's current one. */
  readonly vapidKey: string | null
}

export type WebPushDeps = ChannelDeps & { readonly encryptor: Encryptor }

/** A brand's channel to browsers. Every message is encrypted for one browser. */
export class WebPushChannel implements Channel<WebPushAddress> {
  readonly #deps: WebPushDeps
  readonly #credential: WebPushCredential
  /** By push service and key. A recipe's name costs a hash, and a broadcast needs few recipes. */
  readonly #recipes = new BoundedCache<string, TokenRecipe>({ capacity: RECIPES_MAX })

  constructor(deps: WebPushDeps, credential: WebPushCredential) {
    this.#deps = deps
    this.#credential = credential
  }

  prepare(content: MessageContent): PreparedMessage<WebPushAddress> {
    const headers = {
      ttl: String(Math.min(content.ttlSeconds, TTL_SECONDS_MAX)),
      urgency: content.priority,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    }
    const rendering: Rendering = {
      forChromium: renderWebPush(content, 'chromium'),
      forOthers: renderWebPush(content, null),
      headersWith: authorizedHeaders(headers, ''),
    }
    return preparedMessage((recipient, listener) => tellVerdict(this.#send(rendering, recipient), listener))
  }

  async #send(rendering: Rendering, recipient: Addressee<WebPushAddress>): Promise<Verdict> {
    const { address, deliveryId, collapseId, receipt } = recipient
    const { origin, pathname, search } = new URL(address.endpoint)
    const minted = await this.#authorization(address, origin)
    if (minted.kind === 'none') return minted.verdict

    const template = address.family === 'chromium' ? rendering.forChromium : rendering.forOthers
    const plaintext = fillTemplate(template, { deliveryId, collapseId, receipt, address: '' })
    if (Buffer.byteLength(plaintext) > PLATFORMS.web.payloadBytesMax) return TOO_LARGE
    const body = await this.#deps.encryptor.encrypt({ plaintext, p256dh: address.p256dh, auth: address.auth })
    if (body === 'bad_key') return BAD_KEY
    if (body === 'busy') return BUSY

    const answer = await this.#deps.transport.send({
      route: { origin, partition: '' },
      path: `${pathname}${search}`,
      headers: rendering.headersWith(minted.token),
      ownHeaders: [['topic', topicOf(collapseId)]],
      body,
    })
    return webPushVerdict(answer, this.#deps.clock.now())
  }

  async #authorization({ vapidKey }: WebPushAddress, origin: string): Promise<Minted> {
    const recipe = this.#recipes.get(`${origin} ${vapidKey}`) ?? this.#newRecipe(vapidKey, origin)
    return recipe === undefined ? { kind: 'none', verdict: KEY_UNKNOWN } : this.#deps.tokens.get(recipe)
  }

  #newRecipe(vapidKey: string | null, origin: string): TokenRecipe | undefined {
    const { keys, subject } = this.#credential
    const key = vapidKey === null ? keys[0] : keys.find(({ publicKey }) => publicKey === vapidKey)
    if (key === undefined) return undefined
    const recipe = vapidRecipe({ key, subject, origin }, this.#deps.clock)
    this.#recipes.set(`${origin} ${vapidKey}`, recipe)
    return recipe
  }
}

type Rendering = {
  readonly forChromium: PayloadTemplate
  readonly forOthers: PayloadTemplate
  readonly headersWith: (token: AuthToken) => SharedHeaders
}

const RECIPES_MAX = 1_000
const TTL_SECONDS_MAX = 2_592_000
const TOPIC = /^[\w-]{1,32}$/

const TOO_LARGE: Verdict = { kind: 'refused', reason: 'payload_too_large' }
const BUSY: Verdict = { kind: 'retry', reason: 'encryption_busy', waitMs: 0, scope: 'address' }
const BAD_KEY: Verdict = { kind: 'gone', reason: 'bad_subscription_key', goneAt: null, isSuspect: false }
/** A subscription takes messages of its own VAPID key only, and the brand no longer has that key. */
const KEY_UNKNOWN: Verdict = { kind: 'gone', reason: 'vapid_key_unknown', goneAt: null, isSuspect: true }

/** At most 32 characters of the URL-safe alphabet (RFC 8030 §5.4); any other id is replaced by its hash. */
function topicOf(collapseId: string): string {
  if (TOPIC.test(collapseId)) return collapseId
  return createHash('sha256').update(collapseId).digest('base64url').slice(0, 32)
}
