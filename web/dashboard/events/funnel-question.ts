import { EVENT_READ_LIMITS } from '../../../src/rules/events.ts'
import { useSearchWords } from '../kit/address.tsx'
import type { Input } from '../kit/call.ts'
import { useBrandZone } from '../kit/zone.ts'
import { type AskedTime, timeFields, useAskedTime } from './asked-time.ts'
import { numberIn } from './number-word.ts'
import { partOf, partsIn, TOP } from './parts.ts'
import { useWithin, WITHIN } from './within.ts'

export const STEPS_MAX = EVENT_READ_LIMITS.funnelStepsMax

/** The fields that the list of people behind a number has too. */
export type FunnelWalk = Pick<
  NonNullable<Input<'POST /api/v1/events/funnel/people'>['body']>,
  'steps' | 'within' | 'exclude' | 'from' | 'to'
>

/** A funnel as the address has it. */
export type AskedFunnel = {
  readonly time: AskedTime
  readonly steps: readonly string[]
  /** The events that end a walk. */
  readonly excluded: readonly string[]
  readonly parts: readonly string[]
  readonly walk: FunnelWalk
  readonly body: NonNullable<Input<'POST /api/v1/events/funnel'>['body']>
}

/** Another funnel has other numbers, so the list behind one of them closes. */
const NO_NUMBER = { people: '', did: '' } as const

export function useFunnel(): AskedFunnel {
  const [words] = useSearchWords()
  const time = useAskedTime(useBrandZone())
  const within = WITHIN[useWithin('week')]
  const steps = namesIn(words['steps'])
  const excluded = namesIn(words['without'])
  const parts = partsIn(words['by'] ?? '')
  const exclude = excluded.length === 0 ? {} : { exclude: excluded }
  const walk = { steps, within, ...exclude, ...timeFields(time) }
  const by = parts.length === 0 ? {} : { by: parts.flatMap(partOf), top: numberIn(words['top'], TOP) }
  return { time, steps, excluded, parts, walk, body: { ...walk, ...by } }
}

/** Changes the list of names that a word of the address is. */
export function useNames(word: 'steps' | 'without'): (names: readonly string[]) => void {
  const [, change] = useSearchWords()
  return (names) => change({ [word]: names.join(','), ...NO_NUMBER })
}

/** Event names have no commas, so the address lists them with one between two. */
function namesIn(text = ''): readonly string[] {
  return text
    .split(',')
    .filter((name) => name !== '')
    .slice(0, STEPS_MAX)
}
