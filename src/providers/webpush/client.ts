import { createHash } from 'node:crypto'
import { splitEndpoint } from '../../domain/push/push-endpoint.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import { type BrowserFamily, PLATFORMS } from '../../rules/platforms.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import { authorizedHeaders } from '../authorized-headers.ts'
import type {
  Addressee,
  Channel,
  ChannelDeps,
  MessageContent,
  PreparedMessage,
  VerdictListener,
} from '../channel.ts'
import { fillTemplate, type PayloadTemplate } from '../payload-template.ts'
import type { AuthToken, Minted, TokenRecipe } from '../token-cache.ts'
import type { ProviderRequest, ProviderRoute, SharedHeaders } from '../transport.ts'
import { preparedMessage } from '../verdict-listener.ts'
import { vapidRecipe, type WebPushCredential } from './auth.ts'
import type { EncryptJob } from './batch.ts'
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
  /** By push service and key. A recipe's name costs a hash, connections are found by the route itself, and a broadcast has few. */
  readonly #targets = new BoundedCache<string, Target>({ capacity: TARGETS_MAX })

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
    return preparedMessage((recipient, listener) => this.#post(rendering, recipient, listener))
  }

  /** While the token is at hand, nothing is waited for but the encryption and the answer. */
  #post(rendering: Rendering, recipient: Addressee<WebPushAddress>, listener: VerdictListener): void {
    const { address, deliveryId, collapseId, receipt } = recipient
    const { origin, path } = splitEndpoint(address.endpoint)
    const target = this.#targetOf(address, origin)
    if (target === undefined) return listener.onVerdict(KEY_UNKNOWN)
    const template = address.family === 'chromium' ? rendering.forChromium : rendering.forOthers
    const plaintext = fillTemplate(template, { deliveryId, collapseId, receipt, address: '' })
    if (Buffer.byteLength(plaintext) > PLATFORMS.web.payloadBytesMax) return listener.onVerdict(TOO_LARGE)
    const job = { plaintext, p256dh: address.p256dh, auth: address.auth }
    const requestWith = (token: AuthToken, body: Uint8Array): ProviderRequest => ({
      route: target.route,
      path,
      headers: rendering.headersWith(token),
      ownHeaders: [['topic', topicOf(collapseId)]],
      body,
    })
    const { tokens } = this.#deps
    const token = tokens.known(target.recipe)
    if (token !== null) return this.#encrypt(job, (body) => requestWith(token, body), listener)
    const withToken = (minted: Minted): void => {
      if (minted.kind === 'none') listener.onVerdict(minted.verdict)
      else this.#encrypt(job, (body) => requestWith(minted.token, body), listener)
    }
    tokens
      .get(target.recipe)
      .then(withToken)
      .catch((cause: unknown) => listener.onError(cause))
  }

  #encrypt(
    job: EncryptJob,
    requestOf: (body: Uint8Array) => ProviderRequest,
    listener: VerdictListener,
  ): void {
    const { clock, encryptor, transport } = this.#deps
    encryptor.encrypt(job, (body) => {
      if (body === 'bad_key') return listener.onVerdict(BAD_KEY)
      if (body === 'busy') return listener.onVerdict(BUSY)
      return transport.post(requestOf(body), (answer) =>
        listener.onVerdict(webPushVerdict(answer, clock.now())),
      )
    })
  }

  #targetOf({ vapidKey }: WebPushAddress, origin: string): Target | undefined {
    const name = `${origin} ${vapidKey}`
    const known = this.#targets.get(name)
    if (known !== undefined) return known
    const { keys, subject } = this.#credential
    const key = vapidKey === null ? keys[0] : keys.find(({ publicKey }) => publicKey === vapidKey)
    if (key === undefined) return undefined
    const recipe = vapidRecipe({ key, subject, origin }, this.#deps.clock)
    const target = { recipe, route: { origin, partition: '' } }
    this.#targets.set(name, target)
    return target
  }
}

/** A push service, and a token for it with one of the brand's keys. */
type Target = { readonly recipe: TokenRecipe; readonly route: ProviderRoute }

type Rendering = {
  readonly forChromium: PayloadTemplate
  readonly forOthers: PayloadTemplate
  readonly headersWith: (token: AuthToken) => SharedHeaders
}

const TARGETS_MAX = 1_000
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
