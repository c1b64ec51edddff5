import { element, make } from './element.ts'

/** What a line of the log is about: the words, the code behind them, and what becomes of it. */
export type Step = {
  readonly what: string
  readonly code: string
  readonly outcome: Promise<string>
}

const STEPS_MAX = 30

/** Shows a step at once, and its outcome when there is one. Newest first. Gives whether it went well. */
export async function logStep({ what, code, outcome }: Step): Promise<boolean> {
  const line = make('li', '')
  const end = make('span', 'outcome', '…')
  line.append(make('span', '', what), make('pre', '', code), end)
  const list = element('log', HTMLOListElement)
  list.prepend(line)
  while (list.children.length > STEPS_MAX) list.lastElementChild?.remove()
  // Whatever went wrong is part of what this page is for.
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

/** What the SDK's promises mean to somebody who reads this page. */
export function told({ state }: { readonly state: string }): string {
  return state === 'stored' ? 'stored: Beckon has committed it' : 'not wanted, by consent or by optOut'
}
