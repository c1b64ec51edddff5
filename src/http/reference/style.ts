import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TOKENS = readFileSync(join(import.meta.dirname, '../../../web/look/tokens.css'), 'utf8')

/** The style sheet of our plain pages, in light and dark. They load nothing, so the typeface is the system's. */
export const STYLE = `${TOKENS}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 400 16px/1.6 var(--sans); }
a { color: inherit; text-decoration-color: var(--edge); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
h1 { font-size: var(--f5); font-weight: 640; line-height: 1.25; letter-spacing: -.02em; margin: 0 0 .5rem; text-wrap: balance; }
.lead { color: var(--ink-2); margin-top: 0; }
.card { max-width: 40rem; margin: 14vh auto; padding: 0 1.5rem; }
.card ul { padding-left: 1.1rem; }
fieldset { border: 1px solid var(--line); background: var(--card); border-radius: var(--radius); padding: .5rem 1.25rem 1rem; margin: 1.5rem 0; }
legend { padding: 0 .5rem; font-weight: 600; }
.topic { display: grid; grid-template-columns: 1.75rem 1fr; align-items: center; margin-top: .9rem; }
.topic input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--ink); }
.topic label { padding: .25rem 0; font-weight: 600; }
.topic p { grid-column: 2; margin: 0; color: var(--ink-2); }
button { font: inherit; font-weight: 560; padding: .55rem 1.1rem; border: 1px solid var(--line-2); border-radius: 8px; margin: 0 .75rem .75rem 0; background: var(--card); color: var(--ink); }
button:first-of-type { background: var(--ink); border-color: var(--ink); color: var(--card); }
.second button { background: var(--card); border-color: var(--line-2); color: var(--ink); }
p > label { display: block; margin-bottom: .3rem; font-weight: 560; }
p > input { font: inherit; padding: .5rem .7rem; border: 1px solid var(--line-2); border-radius: 8px; background: var(--card); color: var(--ink); width: min(100%, 24rem); }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--ink); outline-offset: 3px; border-radius: 4px; }
.saved { padding: .6rem 1rem; border-left: 4px solid var(--ok); background: var(--sunk); }
`

/** Lets exactly this style sheet in, and nothing else. */
export const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    // An empty picture in place of /favicon.ico, which Firefox would report as refused.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}
