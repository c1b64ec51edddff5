/** The types of the Beckon web SDK. Served as /sdk.d.ts; the SDK itself is written against this file. */

export type Attributes = { readonly [name: string]: unknown }

export type TrackSwitch = 'pageViews' | 'sessions' | 'scroll' | 'clicks' | 'forms' | 'downloads' | 'push'

export type PromptOptions = {
  /** `soft`: our own question first, and the browser's only after a yes. `native`: the browser's at once. */
  readonly kind?: 'soft' | 'native'
  readonly title?: string
  readonly text?: string
  readonly accept?: string
  readonly decline?: string
  /** How long to wait before asking. */
  readonly delayMs?: number
  /** Not again for so many days after a no. 14 unless told. */
  readonly days?: number
  /** Only on these paths; a star stands for anything: `/products/*`. */
  readonly pages?: readonly string[]
  /** CSS of the question: colours and font as custom properties, such as `{ accent: '#0a7' }`. */
  readonly theme?: { readonly [name: string]: string }
}

export type InitOptions = {
  /** The publishable key of the brand. */
  readonly key: string
  /** Where Beckon is; where this script came from unless told. */
  readonly api?: string
  /** `pending`: held in the tab, and nothing sent, until `beckon('consent', 'granted')`. `granted` unless told. */
  readonly consent?: 'granted' | 'pending' | 'denied'
  /** False: no system events. Or some: `{ scroll: false }`. */
  readonly track?: boolean | { readonly [part in TrackSwitch]?: boolean }
  /** What Global Privacy Control does: without `ignore`, no system events, no referrer and no ad ids. */
  readonly gpc?: 'respect' | 'ignore'
  /** Where your service worker is; false if pages do not use it. `/sw.js` unless told. */
  readonly worker?: string | false
  /** Cleans every address before it is stored. */
  readonly scrub?: (url: string) => string
}

export type User = {
  readonly userID?: string
  readonly email?: string
  readonly mobile?: string
  /** HMAC-SHA256 of the userID with the brand's identity key, from your server. */
  readonly user_hash?: string
}

export type Stored = { readonly state: 'stored' | 'dropped' }

export type Subscribed = {
  readonly state: 'subscribed' | 'denied' | 'blocked' | 'declined' | 'not_now' | 'unsupported' | 'dropped'
}

/** Every promise resolves when the server has committed; `dropped`: not wanted, by consent or by optOut. */
export interface Beckon {
  (command: 'init', options: InitOptions): Promise<Stored>
  (command: 'user', user: User, attributes?: Attributes): Promise<Stored>
  (command: 'event', name: string, attributes?: Attributes, ltv?: number | string): Promise<Stored>
  (
    command: 'tag',
    tags: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<Stored>
  (
    command: 'subscribe',
    options?: { readonly prompt?: 'soft' | 'native' | PromptOptions },
  ): Promise<Subscribed>
  (command: 'unsubscribe'): Promise<Stored>
  (command: 'consent', decision: 'granted' | 'denied'): Promise<Stored>
  (command: 'logout'): Promise<Stored>
  (command: 'optOut'): Promise<Stored>
  (command: 'optIn'): Promise<Stored>
}

export declare const beckon: Beckon

declare global {
  interface Window {
    readonly beckon: Beckon
    readonly nv: Beckon
  }
}
