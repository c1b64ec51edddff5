import { element, make } from './element.ts'

/** A line of the log: a sentence, the code behind it, and its outcome. */
export type Step = {
  readonly what: string
  readonly code: string
  readonly outcome: Promise<string>
}

const STEPS_MAX = 30

/** Shows a step at once, newest first, and its outcome when it comes. Returns whether it succeeded. */
export async function logStep({ what, code, outcome }: Step): Promise<boolean> {
  const line = make('li', '')
  const end = make('span', 'outcome', '…')
  line.append(make('span', '', what), make('pre', '', code), end)
  const list = element('log', HTMLOListElement)
  list.prepend(line)
  while (list.children.length > STEPS_MAX) list.lastElementChild?.remove()
  // A failure is shown too.
  return outcome.then(
    (words) => {
      end.classList.add('good')
      end.textContent = `✓ ${words}`
      return true
    },
    (error: unknown) => {
      end.classList.add('bad')
      end.textContent = `✗ ${error instanceof Error ? error.message : String(error)}`
      return false
    },
  )
}

/** Explains the result of an SDK promise in words. */
export function describeStored({ state }: { readonly state: string }): string {
  return state === 'stored' ? 'stored: Beckon has committed it' : 'not wanted, by consent or by optOut'
}
