import { useDebouncedValue } from '@mantine/hooks'
import { PLATFORM_NAMES } from '../../../../src/rules/platforms.ts'
import { type ReadOptions, useRead } from '../queries.ts'
import { TYPING_MS } from '../typing.ts'
import { textOf, type ValueType } from './values.ts'
import type { Subject } from './written.ts'

const CHOICES_MAX = 30
/** The catalogue takes no longer beginnings, and none of its values begins so. */
const PREFIX_CHARS_MAX = 100

function usePrefix(typed: string): string {
  const [prefix] = useDebouncedValue(typed.slice(0, PREFIX_CHARS_MAX), TYPING_MS)
  return prefix
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}

/** Names of attributes that begin so: of people or, with an event, of its own. */
export function useAttributeNames(typed: string, event: string): string[] {
  const prefix = usePrefix(typed)
  const query = { prefix, event_name: event, values: 0, limit: CHOICES_MAX }
  const { data } = useRead('GET /api/v1/catalogue/attributes', { query }, { keepsFormer: true })
  const own = event === '' ? PERSON_NAMES.filter((name) => name.startsWith(prefix)) : []
  return unique([...(data?.attributes.map(({ name }) => name) ?? []), ...own])
}

/** Compared like attributes, though they are none. */
const PERSON_NAMES = ['email', 'mobile', 'userID']

/** The type that an attribute is locked to, as far as a filter knows it; null while nobody knows. */
export function useAttributeType(name: string, event: string): ValueType | null {
  const prefix = usePrefix(name)
  const query = { prefix, event_name: event, values: 0, limit: CHOICES_MAX }
  const { data } = useRead('GET /api/v1/catalogue/attributes', { query }, { isEnabled: name !== '' })
  const type = data?.attributes.find((one) => one.name === name)?.type
  if (type === 'Boolean') return 'boolean'
  if (type === 'Number') return 'number'
  return type === undefined ? null : 'text'
}

export function useEventNames(typed: string): string[] {
  const query = { prefix: usePrefix(typed), limit: CHOICES_MAX }
  const { data } = useRead('GET /api/v1/events/schema', { query }, { keepsFormer: true })
  return unique(data?.events.map(({ event_name: name }) => name) ?? [])
}

export function useTagNames(typed: string): string[] {
  const query = { prefix: usePrefix(typed), limit: CHOICES_MAX }
  const { data } = useRead('GET /api/v1/catalogue/tags', { query }, { keepsFormer: true })
  return unique(data?.tags.map(({ value }) => value) ?? [])
}

function when(isEnabled: boolean): ReadOptions {
  return { isEnabled, keepsFormer: true }
}

type Wanted = {
  readonly subject: Subject | null
  /** The attribute whose values are meant. */
  readonly name: string
  readonly event: string
  readonly typed: string
}

/** Frequent values of an attribute or a fact that begin so. */
export function useValues({ subject, name, event, typed }: Wanted): string[] {
  const prefix = usePrefix(typed)
  const query = { prefix, limit: CHOICES_MAX }
  const path = { attribute: name }
  const isAttribute = subject === 'attribute' && name !== '' && !PERSON_NAMES.includes(name)
  const attributes = useRead(
    'GET /api/v1/catalogue/attributes/{attribute}/values',
    { path, query: { ...query, event_name: event } },
    when(isAttribute),
  )
  const languages = useRead('GET /api/v1/catalogue/languages', { query }, when(subject === 'language'))
  const zones = useRead('GET /api/v1/catalogue/time_zones', { query }, when(subject === 'time_zone'))
  const versions = useRead('GET /api/v1/catalogue/app_versions', { query }, when(subject === 'app_version'))
  const browsers = useRead('GET /api/v1/catalogue/browsers', { query }, when(subject === 'browser'))
  if (subject === 'platform') return [...PLATFORM_NAMES]
  const listed = [
    languages.data?.languages,
    zones.data?.time_zones,
    versions.data?.app_versions,
    browsers.data?.browsers,
  ].flatMap((list) => list ?? [])
  const values = isAttribute ? (attributes.data?.values ?? []) : listed
  return unique(values.map(({ value }) => textOf(value)))
}
