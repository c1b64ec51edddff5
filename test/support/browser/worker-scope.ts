import { MemoryDatabase } from './memory-database.ts'

export type ShownNotification = {
  readonly title: string
  readonly tag: string
  readonly body: string
  readonly silent?: boolean
  readonly icon?: string
  readonly image?: string
  readonly data: object
  readonly actions: readonly { readonly action: string; readonly title: string }[]
}

type Posted = { readonly url: string; readonly body: Record<string, unknown> }

class PushSubscriptionOfTest {
  readonly endpoint: string

  constructor(endpoint: string) {
    this.endpoint = endpoint
  }

  toJSON() {
    return { endpoint: this.endpoint }
  }
}

/** A page of the site; only one of the class `WindowClient` can be focused. */
class WindowClientOfTest {
  readonly url: string
  readonly #focus: () => void

  constructor(url: string, focus: () => void) {
    this.url = url
    this.#focus = focus
  }

  async focus(): Promise<void> {
    this.#focus()
  }
}

/**
 * A browser as far as a service worker can tell: what it shows, opens and sends is noted down. The worker's module is
 * imported after `install`, and adds its listeners to this scope.
 */
export class WorkerScope {
  readonly database = new MemoryDatabase()
  readonly shown: ShownNotification[] = []
  /** The shown notifications that nobody closed. */
  readonly standing = new Set<ShownNotification>()
  readonly opened: string[] = []
  readonly badges: number[] = []
  readonly syncs: string[] = []
  /** The keys with which the worker subscribed by itself. */
  readonly keys: string[] = []
  readonly posts: Posted[] = []
  /** Told to the pages. */
  readonly told: unknown[] = []
  /** The status of the answer to a call at this address; 0 when there is no network. */
  answer: (url: string) => number = () => 200
  /** The pages of the site that are open. */
  tabs: (WindowClientOfTest | { readonly url: string })[] = []
  sync: unknown = { register: async (tag: string) => this.syncs.push(tag) }
  readonly #listeners = new Map<string, (event: object) => void>()

  install(): void {
    this.database.install()
    const scope = {
      addEventListener: (kind: string, listener: (event: object) => void) =>
        this.#listeners.set(kind, listener),
      registration: this.#registration(),
      clients: {
        matchAll: async () => this.tabs,
        openWindow: async (url: string) => this.opened.push(`new ${url}`),
      },
      location: { href: 'https://shop.example/sw.js' },
    }
    const told = this.told
    const globals = {
      self: scope,
      PushSubscription: PushSubscriptionOfTest,
      WindowClient: WindowClientOfTest,
      BroadcastChannel: class {
        postMessage(message: unknown): void {
          told.push(message)
        }
        close(): void {}
      },
      fetch: async (url: string, { body }: { readonly body: string }) => this.#answer(url, body),
    }
    for (const [name, value] of Object.entries(globals)) Reflect.set(globalThis, name, value)
    Reflect.set(globalThis.navigator, 'setAppBadge', async (badge: number) => this.badges.push(badge))
  }

  /** Gives the worker an event, and waits until it has done with it. */
  async dispatch(kind: string, event: object = {}): Promise<void> {
    const works: Promise<unknown>[] = []
    this.give(kind, { ...event, waitUntil: (work: Promise<unknown>) => works.push(work) })
    await Promise.all(works)
  }

  /** Gives the worker an event as it is. */
  give(kind: string, event: object): void {
    this.#listeners.get(kind)?.(event)
  }

  /** A push message arrives, with this text or this JSON. */
  async push(given: string | object): Promise<void> {
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    await this.dispatch('push', { data: { json: () => JSON.parse(text) } })
  }

  /** The visitor clicks the notification, or one of its buttons. */
  async click(one: ShownNotification | undefined, action = ''): Promise<void> {
    await this.dispatch('notificationclick', { notification: this.#notification(one), action })
  }

  /** The browser says that the notification was closed. */
  async close(one: ShownNotification | undefined): Promise<void> {
    if (one !== undefined) this.standing.delete(one)
    await this.dispatch('notificationclose', { notification: this.#notification(one) })
  }

  tab(url: string): WindowClientOfTest {
    return new WindowClientOfTest(url, () => this.opened.push(`tab ${url}`))
  }

  subscription(endpoint: string): PushSubscriptionOfTest {
    return new PushSubscriptionOfTest(endpoint)
  }

  /** The kinds of the receipts that were sent, in order. */
  receipts(): readonly unknown[] {
    return this.posts
      .filter(({ url }) => url.endsWith('/receipts'))
      .flatMap(({ body }) => Object(body['receipts']))
  }

  commands(): readonly Record<string, unknown>[] {
    return this.posts
      .filter(({ url }) => url.includes('/commands'))
      .flatMap(({ body }) => Object(body['commands']))
  }

  #notification(one: ShownNotification | undefined) {
    return { ...one, close: () => one !== undefined && this.standing.delete(one) }
  }

  #registration() {
    const registration = {
      showNotification: async (title: string, options: Omit<ShownNotification, 'title'>) => {
        const one = { title, ...options }
        for (const other of this.standing) if (other.tag === one.tag) this.standing.delete(other)
        this.shown.push(one)
        this.standing.add(one)
      },
      getNotifications: async ({ tag }: { readonly tag: string }) =>
        [...this.standing].filter((one) => one.tag === tag),
      pushManager: {
        subscribe: async ({ applicationServerKey }: { readonly applicationServerKey: string }) => {
          this.keys.push(applicationServerKey)
          return new PushSubscriptionOfTest('https://push.example/made')
        },
      },
    }
    return Object.defineProperty(registration, 'sync', { get: () => this.sync })
  }

  #answer(url: string, body: string): Response {
    this.posts.push({ url, body: JSON.parse(body) })
    const status = this.answer(url)
    if (status === 0) throw new TypeError('no network')
    return new Response('{}', { status })
  }
}
