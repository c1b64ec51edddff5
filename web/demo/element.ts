/** An element of the page that must be there, as what it must be. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** Shows one button in another's place; whoever was on that one is on this one then. */
export function swap(shown: HTMLElement, hidden: HTMLElement): void {
  const hadFocus = document.activeElement === hidden
  shown.hidden = false
  hidden.hidden = true
  if (hadFocus) shown.focus()
}

/** A new element with a class and a text, which is never read as markup. */
export function make(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.textContent = text
  return made
}
