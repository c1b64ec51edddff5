import { type Fault, fault } from '../fault.ts'
import { type QuietHours, quietHoursFault } from '../preferences/quiet-hours.ts'
import { accept, type Result, reject } from '../result.ts'
import { languageTagOf } from '../values/language-tag.ts'
import { timeZoneOf } from '../values/time-zone.ts'

/** The settings of a brand. */
export type BrandSettings = {
  readonly name: string
  readonly timeZone: string
  readonly profileMerging: boolean
  readonly allowedOrigins: readonly string[]
  /** Whether a page must prove who its user is (decision 0010). */
  readonly identityVerification: boolean
  /** How many notifications a person may get on one day; null for any number. */
  readonly frequencyCap: number | null
  /** The sound of notifications that name none; null for none. */
  readonly defaultSound: string | null
  /** The language of people and devices whose own is not known or not offered; null when it is not set. */
  readonly language: string | null
  /** The percentage of people, always the same ones, who get no campaigns, so that their effect can be measured. */
  readonly controlPercent: number
  /** The hours in which people get no messages of campaigns, journeys and topics; null for none. */
  readonly quietHours: QuietHours | null
  /** A campaign to more people than this needs a second consent; null for none. */
  readonly approvalAbove: number | null
}

/** The settings after a change. A setting that is not given stays; zones, languages and origins are stored in one spelling. */
export function planBrandSettings(
  current: BrandSettings,
  changes: Partial<BrandSettings>,
): Result<BrandSettings> {
  const wanted = { ...current, ...changes }
  const name = wanted.name.trim()
  const timeZone = timeZoneOf(wanted.timeZone)
  const origins = wanted.allowedOrigins.map(originOf)
  const language = wanted.language === null ? null : languageTagOf(wanted.language)
  const [first, ...others] = [
    ...nameFaults(name),
    ...zoneFaults(timeZone),
    ...originFaults(origins),
    ...(wanted.language !== null && language === null ? [languageFault()] : []),
    ...quietFaults(wanted.quietHours),
  ]
  if (first !== undefined || timeZone === null) return reject(first ?? zoneFault(), ...others)
  const allowedOrigins = [...new Set(origins.filter((origin) => origin !== null))]
  return accept({ ...wanted, name, timeZone, allowedOrigins, language })
}

/** The name and the zone of a new brand; every other setting has its default. */
export function planNewBrand(
  wanted: Pick<BrandSettings, 'name' | 'timeZone'>,
): Result<Pick<BrandSettings, 'name' | 'timeZone'>> {
  const name = wanted.name.trim()
  const timeZone = timeZoneOf(wanted.timeZone)
  const [first, ...others] = [...nameFaults(name), ...zoneFaults(timeZone)]
  if (first !== undefined || timeZone === null) return reject(first ?? zoneFault(), ...others)
  return accept({ name, timeZone })
}

function nameFaults(name: string): readonly Fault[] {
  return name === '' ? [fault('field_invalid', 'name', { detail: 'it is blank' })] : []
}

function zoneFaults(timeZone: string | null): readonly Fault[] {
  return timeZone === null ? [zoneFault()] : []
}

function zoneFault(): Fault {
  return fault('field_invalid', 'time_zone', {
    detail: 'it must be an IANA name such as Europe/Berlin, or an offset',
  })
}

function quietFaults(hours: QuietHours | null): readonly Fault[] {
  const flaw = hours === null ? null : quietHoursFault(hours)
  return flaw === null ? [] : [flaw]
}

function originFaults(origins: readonly (string | null)[]): readonly Fault[] {
  const detail = 'it must be an origin such as https://example.com; plain http only on localhost'
  return origins.flatMap((origin, index) =>
    origin === null ? [fault('field_invalid', `allowed_origins[${index}]`, { detail })] : [],
  )
}

function languageFault(): Fault {
  return fault('field_invalid', 'language', { detail: 'it must be a language tag such as en or pt-BR' })
}

/** Browsers push only to secure pages, and count those of the machine itself as secure. */
function originOf(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { origin, protocol, hostname, href } = new URL(text)
  if (href !== `${origin}/`) return null
  if (protocol === 'https:') return origin
  return protocol === 'http:' && LOOPBACK.has(hostname) ? origin : null
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
