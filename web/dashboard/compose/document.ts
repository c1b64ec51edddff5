import type { CampaignVariant } from '../../client/api/documents.ts'
import { plainTitle } from '../kit/plain-title.ts'
import { writeAudience } from './audience.ts'
import { given, writeContent, writeLanguages } from './content.ts'
import { BASE, type Draft, type Texts } from './draft.ts'
import { writeOwns } from './own.ts'
import { writeTiming } from './timing.ts'

/** How long a launch can be undone. The API lets nothing leave before. */
export const UNDO_SECONDS = 10

/** The fields of a campaign as a change writes them: null takes a field away. */
export function documentOf(draft: Draft): Readonly<Record<string, unknown>> {
  const { platforms, trial, holdoutPercent, goal, perSecond, topic } = draft
  const audience = writeAudience(draft.audience)
  return {
    name: nameOf(draft),
    ...(audience === undefined ? {} : { audience }),
    platforms: platforms.length === 3 ? null : platforms,
    include_virtual_devices: draft.reachesVirtual ? true : null,
    content: writeContent(draft),
    languages: writeLanguages(draft),
    ...writeOwns(draft.owns.A, draft.stored),
    ...(trial.kind === 'kept' ? {} : variantsOf(draft)),
    holdout_percent: holdoutPercent === 0 ? null : holdoutPercent,
    goal: goal === null ? null : { event: goal.event, from: 'delivery', within_days: goal.withinDays },
    per_second: perSecond,
    topic: topic === '' ? null : topic,
    undo_seconds: UNDO_SECONDS,
    ...writeTiming(draft.timing),
  }
}

/** The same for a new campaign, which has nothing to take away. */
export function newDocumentOf(draft: Draft): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(documentOf(draft)).filter(([, value]) => value !== null))
}

/** A message without a name is called by its title, without the facts about the person. */
export function nameOf({ name, texts, template }: Draft): string {
  const called = plainTitle(texts.A[BASE]?.title || (template?.content.title ?? ''))
  return (name.trim() === '' ? called : name).slice(0, NAME_CHARS_MAX)
}

const NAME_CHARS_MAX = 200

function variantsOf({ texts, owns, trial, timing, stored }: Draft): object {
  if (trial.kind === 'none') return { variants: null, winner: null }
  const { winner: by, testPercent, afterHours } = trial
  const before: Partial<CampaignVariant> = stored.variants?.find(({ name }) => name === 'B') ?? {}
  const { title: _title, message: _message, ...kept } = before.content ?? {}
  const second = Object.fromEntries(
    Object.entries(writeOwns(owns.B, before)).filter(([, content]) => content !== null),
  )
  // A winner compares messages that are sent at the same time, so the API refuses it beside the best hour.
  const hasWinner = by !== 'none' && timing.kind !== 'best'
  return {
    variants: [
      { name: 'A', weight: 1 },
      {
        name: 'B',
        weight: 1,
        content: { ...kept, ...given(texts.B[BASE]) },
        ...ownLanguages(texts.B),
        ...second,
      },
    ],
    winner: hasWinner ? { by, test_percent: testPercent, after_hours: afterHours, otherwise: 'A' } : null,
  }
}

function ownLanguages(texts: Texts): object {
  const own = Object.entries(texts)
    .filter(([tag, words]) => tag !== BASE && (words.title !== '' || words.message !== ''))
    .map(([tag, words]) => [tag, given(words)])
  return own.length === 0 ? {} : { languages: Object.fromEntries(own) }
}
