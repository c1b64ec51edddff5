// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Success } from './envelope.ts'

export type VirtualDevice = {
  readonly subscription_id: string
  readonly kind: 'android' | 'iphone' | 'chrome' | 'firefox'
  readonly name: string
  readonly platform: 'android' | 'ios' | 'web'
  readonly user_id: string | null
  readonly state: 'live' | 'unsubscribed' | 'gone'
  readonly created_at: string
  /** The newest messages, newest first. */
  readonly messages: readonly Message[]
}

export type Message = {
  /** The id of the notification that the message belongs to. */
  readonly message_id: string
  readonly title: string | null
  readonly message: string | null
  /** The link that a tap opens. */
  readonly url: string | null
  readonly image_url: string | null
  readonly hero_image_url: string | null
  readonly buttons: readonly {
    readonly title: string
    readonly url: string | null
  }[]
  /** Whether the app gets the message and shows nothing. */
  readonly is_silent: boolean
  readonly arrived_at: string
  /** A message has arrived, and is shown as soon as the device has reported that. */
  readonly state: State
  readonly shown_at: string | null
  readonly clicked_at: string | null
  readonly dismissed_at: string | null
  /** The button that was tapped, 1 or 2. */
  readonly button: number | null
}

export type State = 'arrived' | 'shown' | 'clicked' | 'dismissed'

export type VirtualDevicesApi = {
  /** Create a virtual device */
  readonly 'POST /api/v1/virtual-devices': {
    readonly body: {
      /** The phone or the browser. */
      readonly kind: 'android' | 'iphone' | 'chrome' | 'firefox'
      /** The name of the device; that of its kind when absent. */
      readonly name?: string
      /** The person whose device it is; nobody when absent. */
      readonly user_id?: string
    }
    readonly reply: Success & {
      readonly virtual_device: VirtualDevice
    }
  }
  /** List virtual devices with their messages */
  readonly 'GET /api/v1/virtual-devices': {
    readonly reply: Success & {
      readonly virtual_devices: readonly VirtualDevice[]
    }
  }
  /** Tap a message on a virtual device */
  readonly 'POST /api/v1/virtual-devices/{subscription_id}/tap': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly body: {
      /** The message_id of a message of the device. */
      readonly message_id: string
      /** The button that is tapped; the message itself when absent. */
      readonly button?: number
    }
    readonly reply: Success & {
      /** How many receipts were new. */
      readonly counted: number
      readonly message: Message
    }
  }
  /** Dismiss a message on a virtual device */
  readonly 'POST /api/v1/virtual-devices/{subscription_id}/dismiss': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly body: {
      /** The message_id of a message of the device. */
      readonly message_id: string
    }
    readonly reply: Success & {
      /** How many receipts were new. */
      readonly counted: number
      readonly message: Message
    }
  }
  /** Delete a virtual device */
  readonly 'DELETE /api/v1/virtual-devices/{subscription_id}': {
    readonly path: {
      readonly subscription_id: string
    }
    readonly reply: Success & Readonly<Record<string, Json>>
  }
}
