/** The types of the Beckon web SDK, served as /sdk.d.ts. The SDK itself is checked against this file. */

export type Attributes = { readonly [name: string]: unknown }

export type TrackSwitch = 'pageViews' | 'sessions' | 'scroll' | 'clicks' | 'forms' | 'downloads' | 'push'

export type PromptOptions = {
  /** `soft`: a dialog of the SDK first, and the browser's question only after a yes. `native`: the browser's at once. */
  readonly kind?: 'soft' | 'native'
  readonly title?: string
  readonly text?: string
  readonly accept?: string
  readonly decline?: string
  /** How long to wait before asking. */
  readonly delayMs?: number
  /** How many days not to ask again after a no; 14 by default. */
  readonly days?: number
  /** The paths on which to ask; a star stands for any text: `/products/*`. */
  readonly pages?: readonly string[]
  /** Colours and font of the dialog, as CSS custom properties: `{ accent: '#0a7' }`. */
  readonly theme?: { readonly [name: string]: string }
}

export type InitOptions = {
  /** The publishable key of the brand. */
  readonly key: string
  /** The address of Beckon; by default the address of this script. */
  readonly api?: string
  /** `pending`: the tab keeps everything and sends nothing until `beckon('consent', 'granted')`. Default: `granted`. */
  readonly consent?: 'granted' | 'pending' | 'denied'
  /** False: no system events. An object turns some of them off: `{ scroll: false }`. */
  readonly track?: boolean | { readonly [part in TrackSwitch]?: boolean }
  /** With Global Privacy Control and without `ignore`: no system events, no referrer, no ad ids. */
  readonly gpc?: 'respect' | 'ignore'
  /** The path of your service worker, `/sw.js` by default. False: no pushes. */
  readonly worker?: string | false
  /** A function that cleans every address before it is stored. */
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

export type Preferences = {
  /** The topics that the person opted out of; `*` is everything but transactional messages. */
  readonly opt_outs: readonly string[]
  readonly topics: readonly {
    readonly name: string
    readonly title: string
    readonly description: string
    /** True for `transactional`, which cannot be switched off. */
    readonly is_reserved: boolean
    readonly is_on: boolean
    readonly opted_out_at: string | null
  }[]
}

/** Every promise resolves when the server has committed. `dropped`: consent or optOut forbids it. */
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
  /** Reads the visitor's preferences; with `opt_outs`, the whole list, it changes them first. */
  (
    command: 'preferences',
    change?: { readonly opt_outs: readonly string[] },
  ): Promise<Preferences | { readonly state: 'dropped' }>
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
