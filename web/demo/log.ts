import { element, make } from './element.ts'

/** What a line of the log is about: the words, the code behind them, and what becomes of it. */
export type Step = {
  readonly what: string
  readonly code: string
  readonly outcome: Promise<string>
}

const STEPS_MAX = 30

/** Shows a step at once, and its outcome when there is one. Newest first. */
export async function logStep({ what, code, outcome }: Step): Promise<void> {
  const line = make('li', '')
  const told = make('span', 'outcome', '…')
  line.append(make('span', '', what), make('pre', '', code), told)
  const list = element('log', HTMLOListElement)
  list.prepend(line)
  while (list.children.length > STEPS_MAX) list.lastElementChild?.remove()
  // Whatever went wrong is part of what this page is for.
  await outcome.then(
    (words) => settle(told, 'good', words),
    (error: unknown) => settle(told, 'bad', error instanceof Error ? error.message : String(error)),
  )
}

function settle(told: HTMLElement, className: 'good' | 'bad', words: string): void {
  told.className = `outcome ${className}`
  told.textContent = `${className === 'good' ? '✓' : '✗'} ${words}`
}
