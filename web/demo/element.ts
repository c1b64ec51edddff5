/** Finds an element of the page by its id, and checks its kind. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** Shows one button in place of another, and moves the focus with it. */
export function swap(shown: HTMLElement, hidden: HTMLElement): void {
  const hadFocus = document.activeElement === hidden
  shown.hidden = false
  hidden.hidden = true
  if (hadFocus) shown.focus()
}

/** Makes an element with a class and a text; the text is never read as markup. */
export function make(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.textContent = text
  return made
}
