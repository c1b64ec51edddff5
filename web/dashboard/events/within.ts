import { useSearchWords } from '../kit/address.tsx'

/** In seconds. */
export const WITHIN = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const

export type WithinName = keyof typeof WITHIN

export const WITHIN_NAMES = ['hour', 'day', 'week', 'month'] as const satisfies readonly WithinName[]

/** The name that the address has. */
export function useWithin(usual: WithinName): WithinName {
  const [words] = useSearchWords()
  return WITHIN_NAMES.find((name) => name === words['within']) ?? usual
}
