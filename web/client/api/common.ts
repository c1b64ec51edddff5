// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
export type Kind = 'received' | 'clicked' | 'dismissed' | 'button'

export type Context = {
  readonly ip_address?: string
  readonly language?: string
  readonly platform?: Platform
  readonly page?: Page
  readonly utm?: Utm
}

export type Platform = 'website' | 'm-site' | 'android app' | 'ios app'

export type Page = {
  readonly url?: string
  readonly referrer?: string
  readonly query_params?: string
  readonly landing_page_url?: string
}

export type Utm = {
  readonly campaign?: string
  readonly source?: string
  readonly medium?: string
  readonly term?: string
  readonly content?: string
  readonly google_click_id?: string
  readonly ad_source?: string
  readonly adcampaign_id?: string
  readonly adgroup_id?: string
  readonly ad_id?: string
}

export type Unprocessed = {
  /** The position of the entry in nv; the first is 0. */
  readonly index: number
  readonly field: string | null
  readonly code: string
  readonly message: string
}

export type Warning = {
  /** The position of the entry in nv; the first is 0. */
  readonly index?: number
  readonly field: string
  readonly code: string
  readonly message: string
  /** With type_locked: the type that the attribute must have. */
  readonly locked_type?: LockedType
}

export type LockedType = 'String' | 'Number' | 'Boolean' | 'Date' | 'Object' | 'Array of Objects'

export type Type = 'String' | 'Number' | 'Boolean' | 'Date' | 'Object' | 'Array of Objects'

export type Subscription = {
  readonly subscription_id: string
  readonly platform: 'android' | 'ios' | 'web'
  readonly user_id: string | null
  readonly android_id?: string | null
  readonly ios_ifv?: string | null
  readonly environment?: 'production' | 'sandbox'
  readonly tags: readonly string[]
  /** The topics that this device opted out of, beside those of its person. */
  readonly opt_outs: readonly string[]
  readonly time_zone: string | null
  readonly language: string | null
  readonly browser: string | null
  readonly app_version: string | null
  /** Whether it is a virtual device: its messages go to the sandbox, and audiences leave it out. */
  readonly is_virtual: boolean
  readonly state: 'live' | 'unsubscribed' | 'gone'
  readonly state_reason: string | null
  readonly state_since: string
  readonly created_at: string
  /** When the device last registered; null if it was only imported. */
  readonly registered_at: string | null
  readonly updated_at: string
}

export type Topic = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly is_reserved: boolean
  /** Whether messages of this topic are sent. */
  readonly is_on: boolean
  readonly opted_out_at: string | null
}

export type Shown = {
  readonly title: string
  readonly message: string
  readonly url: string | null
  readonly image_url: string | null
  readonly hero_image_url: string | null
  readonly buttons: readonly string[]
}

export type Reason = {
  /** A stable code, for programs. */
  readonly code: string
  /** A sentence, for people. */
  readonly message: string
  /** The facts in the sentence, so that a program can say it in another language. */
  readonly values?: Readonly<Record<string, string>>
}

export type Check = {
  /** The name of the check: person, launched, device, subscribed, audience, latest_device, group, due, topic, quiet_hours, frequency_cap, channel, sending, approval, handed_over, shown, clicked. */
  readonly check: string
  /** waits: time alone lets the message pass, and the checks behind go on. not_reached: an earlier check failed, or nothing is known yet. */
  readonly result: Result
  /** The rule, as a sentence. */
  readonly rule: string
  /** The facts that the rule was held against, as far as they are known. */
  readonly seen: readonly Reason[]
  /** The instant whose facts were looked at. */
  readonly at: string | null
  /** When a message that waits goes on, if that is known. */
  readonly until: string | null
}

export type Result = 'passed' | 'waits' | 'failed' | 'not_reached'

export type Brand = {
  /** The value of x-brand-id. */
  readonly brand_id: string
  readonly name: string
  readonly time_zone: string
  readonly profile_merging: boolean
  readonly allowed_origins: readonly string[]
  readonly identity_verification: boolean
  readonly frequency_cap: number | null
  readonly default_sound: string | null
  readonly language: string | null
  readonly control_percent: number
  readonly quiet_hours: QuietHours | null
  readonly approval_above: number | null
  readonly created_at: string
}

export type QuietHours = {
  readonly from: string
  readonly until: string
  /** `later` sends a message when the quiet hours end, `drop` does not send it. */
  readonly then: 'later' | 'drop'
}

export type Role = 'owner' | 'editor' | 'author' | 'analyst' | 'developer'
