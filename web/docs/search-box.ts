import { loadLines } from './lines.ts'
import { excerpt, type Find, search, wordsOf } from './search.ts'

/** The dialog that searches: opened by its buttons, by `/` and by Ctrl-K, and left by Escape. */
export function bindSearch(): void {
  const dialog = document.querySelector('dialog')
  const input = dialog?.querySelector('input')
  if (dialog === null || dialog === undefined || input === null || input === undefined) return
  const open = (): void => {
    if (!dialog.open) dialog.showModal()
    input.select()
  }
  for (const button of document.querySelectorAll('.find')) button.addEventListener('click', open)
  dialog.querySelector('.close')?.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', ({ target }) => {
    const isLink = target instanceof Element && target.closest('a') !== null
    if (target === dialog || isLink) dialog.close()
  })
  document.addEventListener('keydown', (event) => {
    if (!asksForSearch(event)) return
    event.preventDefault()
    open()
  })
  input.addEventListener('input', () => {
    show(dialog, input.value).catch((cause: unknown) => console.error(cause))
  })
  dialog.addEventListener('keydown', (event) => moveFocus(dialog, event))
}

function asksForSearch({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (key === 'k' && (ctrlKey || metaKey)) return true
  const isTyping = target instanceof HTMLInputElement
  return key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping
}

async function show(dialog: HTMLDialogElement, query: string): Promise<void> {
  const lines = await loadLines().catch(() => null)
  const input = dialog.querySelector('input')
  // A later key press has asked something else meanwhile.
  if (input?.value !== query) return
  const state = dialog.querySelector('.state')
  const list = dialog.querySelector('.finds')
  if (state === null || list === null) return
  const found = lines === null ? [] : search(lines, query)
  const words = wordsOf(query)
  list.replaceChildren(...found.map((find) => renderFind(find, words)))
  state.textContent = stateOf(lines, found, words)
}

function stateOf(lines: readonly Find[] | null, found: readonly Find[], words: readonly string[]): string {
  if (lines === null) return 'The search index could not be loaded. Try again.'
  if (words.length === 0) return ''
  if (found.length === 0) return 'Nothing has all of these words. Try fewer, or a part of one.'
  return found.length === 1 ? '1 place' : `${found.length} places`
}

function renderFind(find: Find, words: readonly string[]): HTMLLIElement {
  const row = document.createElement('li')
  const link = document.createElement('a')
  link.href = find.h
  link.append(
    piece('b', find.t, words),
    piece('span', find.w, []),
    piece('small', excerpt(find, words), words),
  )
  row.append(link)
  return row
}

/** An element with a text, in which the words are marked. The text is never read as markup. */
function piece(tag: string, text: string, words: readonly string[]): HTMLElement {
  const made = document.createElement(tag)
  const pattern = words.map((word) => word.replaceAll(/[^\w\s]/g, String.raw`\$&`)).join('|')
  if (pattern === '') {
    made.textContent = text
    return made
  }
  for (const [index, part] of text.split(new RegExp(`(${pattern})`, 'i')).entries()) {
    if (index % 2 === 0) made.append(part)
    else made.append(marked(part))
  }
  return made
}

function marked(text: string): HTMLElement {
  const mark = document.createElement('mark')
  mark.textContent = text
  return mark
}

/** The arrows go through the finds; Enter in the field opens the first. */
function moveFocus(dialog: HTMLDialogElement, event: KeyboardEvent): void {
  const stops = [...dialog.querySelectorAll<HTMLElement>('input, .finds a')]
  const here = stops.findIndex((stop) => stop === document.activeElement)
  if (event.key === 'Enter' && here === 0) {
    stops[1]?.click()
    return
  }
  const step = STEPS.get(event.key)
  if (step === undefined || here === -1) return
  event.preventDefault()
  stops[Math.min(Math.max(here + step, 0), stops.length - 1)]?.focus()
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
])
