import { fault } from '../../domain/fault.ts'
import type { ExtraHosts } from '../../domain/push/push-endpoint.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Device, DeviceFacts, Registration } from '../../domain/subscriptions/subscription.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { PLATFORM_NAMES, PLATFORMS, type Platform } from '../../rules/platforms.ts'
import { SUBSCRIPTION_FIELDS, type SubscriptionFieldRow } from '../../rules/subscriptions.ts'
import { wrongType } from '../fields/field-type.ts'
import { type FieldRules, fieldRules, missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { listIn, textIn } from '../fields/value.ts'
import { type DeviceReading, readAppDevice, readWebDevice } from './device.ts'

export type SubscriptionBody = { readonly registration: Registration; readonly warnings: readonly Warning[] }

/** The body that registers a device, or everything that is wrong with it. */
export function parseSubscriptionBody(body: unknown, extraHosts: ExtraHosts): Result<SubscriptionBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const platform = PLATFORM_NAMES.find((name) => name === body['platform'])
  if (platform === undefined) return noPlatform(body['platform'])

  const rules = registrationRules(platform)
  const fields = readFields(rules, Object.entries(body))
  const { device, faults, warnings } = readDevice(platform, fields, extraHosts)
  const [first, ...others] = [...fields.faults, ...missingFaults(rules, fields), ...faults]
  if (first !== undefined) return reject(first, ...others)
  if (device === null) throw new Error('a device was refused without a fault')
  const registration = registrationOf(platform, fields, device)
  return accept({ registration, warnings: [...fields.warnings, ...warnings] })
}

/** The rules of a registration, as each platform has them. */
export function registrationRules(platform: Platform): FieldRules {
  return RULES[platform]
}

const RULES: Readonly<Record<Platform, FieldRules>> = {
  android: rulesOf('android'),
  ios: rulesOf('ios'),
  web: rulesOf('web'),
}

function rulesOf(platform: Platform): FieldRules {
  const rows: readonly SubscriptionFieldRow[] = SUBSCRIPTION_FIELDS
  return fieldRules(rows.map((row) => ({ ...row, use: useOf(row, platform) })))
}

function useOf({ platforms, isRequired }: SubscriptionFieldRow, platform: Platform) {
  if (!platforms.includes(platform)) return 'ignored'
  return isRequired === true ? 'required' : 'optional'
}

function noPlatform(value: unknown): Result<never> {
  if (value === undefined || value === null) return reject(fault('field_missing', 'platform'))
  return wrongType({ path: 'platform', value }, `one of ${PLATFORM_NAMES.join(', ')}`)
}

function readDevice(platform: Platform, fields: ReadFields, extraHosts: ExtraHosts): DeviceReading {
  return platform === 'web' ? readWebDevice(fields, extraHosts) : readAppDevice(platform, fields)
}

function registrationOf(platform: Platform, { values }: ReadFields, device: Device): Registration {
  const { deviceField } = PLATFORMS[platform]
  return {
    device,
    subscriptionId: textIn(values, 'subscription_id'),
    userId: textIn(values, 'user_id'),
    deviceId: deviceField === null ? null : textIn(values, deviceField),
    tags: listIn(values, 'tags'),
    facts: factsOf(values),
  }
}

function factsOf(values: ReadFields['values']): DeviceFacts {
  return {
    timeZone: textIn(values, 'time_zone'),
    language: textIn(values, 'language'),
    browser: textIn(values, 'browser'),
    appVersion: textIn(values, 'app_version'),
  }
}
