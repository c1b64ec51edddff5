/** A piece of HTML that is safe to put into another. Only `html` makes one. */
export type Html = { readonly markup: string }

type Part = Html | string | number | readonly Part[]

/** `html`…`` escapes whatever is put in, unless it is HTML already; a list is put in piece by piece. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = strings.map((text, index) => text + renderPart(parts[index] ?? '')).join('')
  return { markup }
}

function renderPart(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part))
  return 'markup' in part ? part.markup : part.map(renderPart).join('')
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** A text from the code, escaped; the parts between backticks are shown as code. */
export function prose(text: string): Html {
  const pieces = text
    .split('`')
    .map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))
  return html`${pieces}`
}
