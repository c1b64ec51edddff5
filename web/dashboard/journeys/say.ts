import type { JourneyStepKind } from '../../../src/rules/journey-steps.ts'
import type { DURATION_UNITS } from '../../../src/rules/journeys.ts'
import type { Json } from '../../client/json.ts'
import { plainTitle } from '../kit/plain-title.ts'
import type { Language } from '../kit/texts.tsx'
import { type Fields, fieldsOf, kindOf, listOf, plainOf } from './draft.ts'
import type { FIELD_TEXTS } from './field-texts.ts'

/** The texts in which steps are said, and the language of their numbers. */
export type Voice = {
  readonly language: Language
  readonly say: (typeof FIELD_TEXTS)['de']['say']
  readonly words: Readonly<Record<string, string>>
}

const UNITS = [
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
] as const satisfies readonly (keyof typeof DURATION_UNITS)[]

/** "1 day, 2 hours" in the reader's language. */
export function sayDuration(duration: Json | undefined, { language, say }: Voice): string {
  const fields = fieldsOf(duration)
  const parts = UNITS.flatMap((unit) => {
    const amount = Number(fields[unit] ?? 0)
    const format = { style: 'unit', unit: unit.slice(0, -1), unitDisplay: 'long' } as const
    return amount > 0 ? [new Intl.NumberFormat(language, format).format(amount)] : []
  })
  return parts.length === 0 ? say.unsaid : parts.join(', ')
}

/** The description of a step, in a line. */
export function sayStep(step: Fields, voice: Voice): string {
  const kind = kindOf(step)
  return SAID[kind](step[kind], voice)
}

const SAID: Readonly<Record<JourneyStepKind, (body: Json | undefined, voice: Voice) => string>> = {
  send: (body, { say }) => sayMessage(fieldsOf(body), say),
  wait: sayDuration,
  wait_until: (body, voice) => sayClock(fieldsOf(body), voice),
  wait_for: (body, voice) => {
    const { event, within } = fieldsOf(body)
    return voice.say.within(textOf(event) || voice.say.unsaid, sayDuration(within, voice))
  },
  branch: (body, voice) => sayFilter(fieldsOf(body)['filter'], voice),
  split: (body) =>
    listOf(body)
      .map((way) => `${plainOf(fieldsOf(way)['percent'])} %`)
      .join(' · '),
  set: (body, voice) => sayChange(fieldsOf(body), voice),
  webhook: (_, { say }) => say.calls,
}

function sayMessage(body: Fields, say: Voice['say']): string {
  const title = plainTitle(textOf(body['title']) || textOf(body['message']))
  const template = plainOf(body['template_id'])
  return title === '' && template !== '' ? say.template(template) : title || say.noText
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function sayClock(body: Fields, { say, words }: Voice): string {
  const at = textOf(body['at'])
  const days = listOf(body['weekdays']).map((day) => words[plainOf(day)] ?? plainOf(day))
  return days.length === 0 ? say.at(at) : say.onDays(days.join(', '), at)
}

function sayChange(body: Fields, { say }: Voice): string {
  if (body['add_tag'] !== undefined) return say.addTag(textOf(body['add_tag']) || say.unsaid)
  if (body['remove_tag'] !== undefined) return say.removeTag(textOf(body['remove_tag']) || say.unsaid)
  return `${textOf(body['attribute']) || say.unsaid} = ${plainOf(body['value']) || '–'}`
}

/** A filter in a line: the values of its conditions, in the order in which they are written. */
function sayFilter(filter: Json | undefined, { say, words }: Voice): string {
  const said = valuesIn(filter)
    .map((value) => words[value] ?? value)
    .join(' ')
  return said.trim() === '' ? say.unsaid : said
}

function valuesIn(value: Json | undefined): readonly string[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [String(value)]
  return Object.values(value).flatMap((part: Json | undefined) => valuesIn(part))
}

/** The description of the people who enter, in a line. */
export function sayTrigger(trigger: Fields, { say }: Voice): string {
  if (trigger['segment_entered'] !== undefined) return say.entered
  if (trigger['segment_left'] !== undefined) return say.left
  if (trigger['date'] !== undefined)
    return say.date(textOf(trigger['date']) || say.unsaid, textOf(trigger['at']))
  return say.event(textOf(trigger['event']) || say.unsaid)
}
