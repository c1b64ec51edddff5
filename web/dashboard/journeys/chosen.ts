import { useSearchWords } from '../kit/address.tsx'

export const VIEWS = ['steps', 'people', 'try', 'versions'] as const
export type View = (typeof VIEWS)[number]

/** The part that is looked at, held by the address: the view beside the canvas, a step, and a person whose way is lit up. */
export type Chosen = {
  readonly view: View
  readonly step: string | null
  /** Whether the entry, the goal and the rules are being looked at. */
  readonly isRules: boolean
  readonly person: string | null
  readonly choose: (changes: {
    readonly view?: View
    readonly step?: string | null
    readonly rules?: boolean
    readonly person?: string | null
  }) => void
}

export function useChosen(): Chosen {
  const [words, change] = useSearchWords()
  return {
    view: VIEWS.find((name) => name === words['view']) ?? 'steps',
    step: words['step'] ?? null,
    isRules: words['rules'] === 'on',
    person: words['person'] ?? null,
    choose: ({ view, step, rules, person }) =>
      change({
        ...(view === undefined ? {} : { view: view === 'steps' ? undefined : view }),
        ...(step === undefined ? {} : { step: step ?? undefined, rules: undefined }),
        ...(rules === undefined ? {} : { rules: rules ? 'on' : undefined, step: undefined }),
        ...(person === undefined ? {} : { person: person ?? undefined }),
      }),
  }
}
