import type { Platform } from './platforms.ts'
import { BROADCAST, type PushFieldRow } from './push-field-row.ts'

/** The kinds of virtual devices: phones and browsers that the sandbox stands in for. */
export const VIRTUAL_DEVICES = {
  android: { platform: 'android', browser: null, name: 'Android phone' },
  iphone: { platform: 'ios', browser: null, name: 'iPhone' },
  chrome: { platform: 'web', browser: 'chrome', name: 'Chrome' },
  firefox: { platform: 'web', browser: 'firefox', name: 'Firefox' },
} as const satisfies Record<
  string,
  { readonly platform: Platform; readonly browser: string | null; readonly name: string }
>

export type VirtualKind = keyof typeof VIRTUAL_DEVICES

export const VIRTUAL_KINDS = [
  'android',
  'iphone',
  'chrome',
  'firefox',
] as const satisfies readonly VirtualKind[]

/** The kinds of the demo brand's devices, which the first start makes. */
export const DEMO_VIRTUAL_KINDS = ['android', 'iphone', 'chrome'] as const satisfies readonly VirtualKind[]

export const VIRTUAL_LIMITS = {
  devicesMax: 20,
  nameCharsMax: 100,
  /** The newest messages that a virtual device shows. */
  messagesMax: 20,
} as const

/** The states of a message on a virtual device, the last one that happened. */
export const VIRTUAL_MESSAGE_STATES = ['arrived', 'shown', 'clicked', 'dismissed'] as const

export type VirtualMessageState = (typeof VIRTUAL_MESSAGE_STATES)[number]

/** The reason of a delivery to a virtual device on a machine without a sandbox. */
export const SANDBOX_MISSING_REASON = 'sandbox_missing'

/** The field of a push about them. */
export const VIRTUAL_PUSH_FIELDS = [
  {
    name: 'include_virtual_devices',
    shape: { type: 'boolean' },
    modes: BROADCAST,
    description:
      'True also notifies virtual devices, which broadcasts leave out. A push to one subscriber always reaches them.',
  },
] as const satisfies readonly PushFieldRow[]

/** The refusals about virtual devices; a part of `ERRORS`. */
export const VIRTUAL_ERRORS = {
  virtual_device_not_found: { status: 404, message: 'There is no virtual device with this id.' },
  virtual_message_not_found: {
    status: 404,
    message: 'The virtual device does not show this message any more.',
  },
  too_many_virtual_devices: {
    status: 409,
    message: 'A brand may have at most {max} virtual devices. Delete one first.',
  },
} as const
