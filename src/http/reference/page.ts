import { type Html, html } from './html.ts'
import { STYLE } from './style.ts'

/** A whole plain page around its body, with the style sheet in it. */
export function renderPage(title: string, body: Html): string {
  const head = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>`
  return `${head.markup}<style>${STYLE}</style></head><body>${body.markup}</body></html>\n`
}
