import { useFormat } from '../kit/number.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import type { Draft } from './draft.ts'
import { COMPOSE_TEXTS } from './texts.ts'
import type { Timing } from './timing.ts'

export type OptionName = 'when' | 'variants' | 'goal' | 'holdout' | 'throttle' | 'topic'

/** The settings of the message, each as a sentence. */
export function useSentences(draft: Draft): Readonly<Record<OptionName, string>> {
  const { goal, holdout, throttle, topic } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  return {
    when: useTimingSentence(draft.timing),
    variants: useTrialSentence(draft),
    goal: draft.goal === null ? goal.none : goal.says(draft.goal.event, format.count(draft.goal.withinDays)),
    holdout:
      draft.holdoutPercent === 0 ? holdout.none : holdout.says(format.share(draft.holdoutPercent / 100)),
    throttle: draft.perSecond === null ? throttle.none : throttle.says(format.count(draft.perSecond)),
    topic: draft.topic === '' ? topic.none : topic.says(draft.topic),
  }
}

function useTimingSentence({ kind, date, time, zone, withinHours }: Timing): string {
  const { when } = useTexts(COMPOSE_TEXTS)
  const format = useFormat()
  const { language } = useLanguage()
  if (kind === 'now') return when.saysNow
  if (kind === 'best') return when.saysBest(format.count(withinHours))
  const instant = new Date(`${date}T${time}`)
  const style = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  } as const
  const said = Number.isNaN(instant.getTime())
    ? `${date} ${time}`
    : new Intl.DateTimeFormat(language, style).format(instant)
  return kind === 'own' ? when.saysOwn(said) : when.saysAt(said, zone)
}

function useTrialSentence({ trial, timing }: Draft): string {
  const texts = useTexts(COMPOSE_TEXTS).trial
  const format = useFormat()
  const { kind, winner, afterHours } = trial
  if (kind === 'none') return texts.none
  if (kind === 'kept') return texts.kept
  if (winner === 'none' || timing.kind === 'best') return texts.half
  return texts.says(texts.figure[winner], format.count(afterHours))
}
