import { JOURNEY_STEPS, type JourneyStepKind } from '../../../src/rules/journey-steps.ts'
import { JOURNEY_END } from '../../../src/rules/journeys.ts'
import type { Json } from '../../client/json.ts'

export type Fields = { readonly [name: string]: Json | undefined }

/**
 * A journey as it is drawn. Every way is written out, while the API lets the order of the list stand for it, so that a
 * step that is put in or taken out moves no other way. Half-written steps are allowed: the API says what is missing.
 */
export type Draft = {
  readonly name: string
  readonly trigger: Fields
  readonly steps: readonly Fields[]
  readonly goal: Fields | null
  readonly exit: Fields | null
  readonly reentry: Json
  readonly quiet_hours: readonly Json[]
}

export type Way = {
  /** Where the way is written in its step: `next`, `yes`, `no`, or the index of a split. */
  readonly place: string
  readonly to: string
}

/** A way out of a step, or out of the trigger, whose only way is the first step. */
export type WayFrom = { readonly from: string | null; readonly place: string }

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object(value) : {}
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** A text, a number or a yes or no as a field shows it; anything else is empty. */
export function plainOf(value: unknown): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
  if (isPlain) return String(value)
  return typeof value === 'string' ? value : ''
}

export function draftOf(journey: Readonly<Record<string, unknown>>): Draft {
  const steps = listOf(journey['steps']).map(fieldsOf)
  return {
    name: plainOf(journey['name']),
    trigger: fieldsOf(journey['trigger']),
    steps: withWays(steps),
    goal: matchOf(journey['goal']),
    exit: matchOf(journey['exit']),
    reentry: plainOf(journey['reentry']) || 'never',
    quiet_hours: listOf(journey['quiet_hours']),
  }
}

function matchOf(value: unknown): Fields | null {
  return value === null || value === undefined ? null : fieldsOf(value)
}

/** The draft as the API takes it: ways that follow from the order of the list are left out again. */
export function bodyOf(draft: Draft): Fields {
  const { steps } = draft
  return { ...draft, steps: steps.map((step, index) => withoutPlainWays(step, followerOf(steps, index))) }
}

function withWays(steps: readonly Fields[]): readonly Fields[] {
  return steps.map((step, index) => {
    const follower = followerOf(steps, index)
    return placesOf(step).reduce((made, place) => setWay(made, place, wayAt(step, place) ?? follower), step)
  })
}

function withoutPlainWays(step: Fields, follower: string): Fields {
  return placesOf(step).reduce(
    (made, place) => (wayAt(step, place) === follower ? setWay(made, place, undefined) : made),
    step,
  )
}

function followerOf(steps: readonly Fields[], index: number): string {
  const next = steps[index + 1]
  return next === undefined ? JOURNEY_END : idOf(next)
}

export function idOf(step: Fields): string {
  return plainOf(step['id'])
}

const KINDS = Object.keys(JOURNEY_STEPS).filter(isKind)

export function isKind(word: string): word is JourneyStepKind {
  return Object.hasOwn(JOURNEY_STEPS, word)
}

export function kindOf(step: Fields): JourneyStepKind {
  return KINDS.find((kind) => Object.hasOwn(step, kind)) ?? 'wait'
}

export function waysOf(step: Fields): readonly Way[] {
  return placesOf(step).map((place) => ({ place, to: wayAt(step, place) ?? JOURNEY_END }))
}

const TWO_WAYS = ['yes', 'no'] as const

function placesOf(step: Fields): readonly string[] {
  const kind = kindOf(step)
  if (kind === 'split') return listOf(step[kind]).map((_, index) => String(index))
  return kind === 'branch' || kind === 'wait_for' ? TWO_WAYS : ['next']
}

function wayAt(step: Fields, place: string): string | undefined {
  const kind = kindOf(step)
  const found = holderOf(step, kind, place)
  const to = found[kind === 'split' ? 'next' : place]
  return typeof to === 'string' ? to : undefined
}

function holderOf(step: Fields, kind: JourneyStepKind, place: string): Fields {
  if (kind === 'split') return fieldsOf(listOf(step[kind])[Number(place)])
  return kind === 'branch' || kind === 'wait_for' ? fieldsOf(step[kind]) : step
}

export function setWay(step: Fields, place: string, to: string | undefined): Fields {
  const kind = kindOf(step)
  if (kind === 'split') {
    const ways = listOf(step[kind]).map((way, index) =>
      String(index) === place ? withField(fieldsOf(way), 'next', to) : way,
    )
    return { ...step, [kind]: ways }
  }
  const holder = withField(holderOf(step, kind, place), place, to)
  return kind === 'branch' || kind === 'wait_for' ? { ...step, [kind]: holder } : holder
}

/** An absent value takes the key away, because the API knows no key without a value. */
export function withField(fields: Fields, name: string, value: Json | undefined): Fields {
  const rest = Object.entries(fields).filter(([key]) => key !== name)
  if (value === undefined) return Object.fromEntries(rest)
  return Object.hasOwn(fields, name)
    ? Object.fromEntries(Object.entries(fields).map(([key, old]) => [key, key === name ? value : old]))
    : { ...fields, [name]: value }
}
