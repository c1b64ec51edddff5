import { createHash } from 'node:crypto'

/** The one style sheet of our plain pages: no scripts, no fonts or images from anywhere, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fdfdfc, #14161a);
  --raised: light-dark(#f4f4f1, #1c1f25);
  --line: light-dark(#e2e2dc, #2d323b);
  --ink: light-dark(#1d2126, #e4e6ea);
  --soft: light-dark(#5c6470, #9aa3b0);
  --accent: light-dark(#b4470f, #ff9d5c);
  --get: light-dark(#1b6e3c, #6fd595);
  --post: light-dark(#1d57b0, #82b4ff);
  --change: light-dark(#8a5a00, #f0c060);
  --delete: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif;
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
code, pre, .path { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .875em; }
code { background: var(--raised); padding: .1em .35em; border-radius: 4px; }
pre {
  background: var(--raised); border: 1px solid var(--line); border-radius: 8px;
  padding: .9rem 1rem; overflow-x: auto; line-height: 1.5; font-size: .8125rem;
}
pre code { background: none; padding: 0; font-size: inherit; }
h1, h2, h3 { line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 .5rem; }
h2 { font-size: 1.375rem; margin: 3.5rem 0 1rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.0625rem; margin: 0; }
h4 { font-size: .75rem; margin: 1.5rem 0 .5rem; color: var(--soft); text-transform: uppercase; letter-spacing: .06em; }
.lead { color: var(--soft); font-size: 1.0625rem; max-width: 42rem; margin-top: 0; }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto; }
nav {
  position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto;
  padding: 2rem 1.25rem; border-right: 1px solid var(--line); font-size: .875rem;
}
nav strong { display: block; font-size: 1.125rem; margin-bottom: 1rem; }
nav h2 {
  font-size: .75rem; margin: 1.5rem 0 .35rem; padding: 0; border: 0; color: var(--soft);
  text-transform: uppercase; letter-spacing: .06em;
}
nav h2 a { color: inherit; text-decoration: none; }
nav > ul:last-child { margin-top: 1.5rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; }
nav li a:hover { color: var(--accent); }
main { padding: 2.5rem clamp(1.25rem, 4vw, 3.5rem) 6rem; min-width: 0; }
main > p, section > p, article > p { max-width: 46rem; }
article { padding: 1.5rem 0 2rem; border-bottom: 1px solid var(--line); }
article:last-child { border-bottom: 0; }
.title { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: baseline; margin-bottom: .5rem; }
.title .path { overflow-wrap: anywhere; }
.title a.anchor { color: inherit; text-decoration: none; }
.title a.anchor:hover { text-decoration: underline; }
.method {
  font: 700 .75rem/1 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .04em;
  padding: .3em .5em; border: 1px solid currentColor; border-radius: 4px;
}
.GET { color: var(--get); } .POST { color: var(--post); } .DELETE { color: var(--delete); }
.PATCH, .PUT { color: var(--change); }
.facts { color: var(--soft); font-size: .875rem; margin: .25rem 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
.type { color: var(--soft); white-space: nowrap; }
.need { color: var(--accent); font-size: .75rem; margin-left: .4rem; }
details { margin-top: 1rem; font-size: .875rem; }
summary { cursor: pointer; color: var(--soft); width: fit-content; }
.card { max-width: 40rem; margin: 14vh auto; padding: 0 1.5rem; }
.card ul { padding-left: 1.1rem; }
fieldset { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1.25rem 1rem; margin: 1.5rem 0; }
legend { padding: 0 .5rem; font-weight: 600; }
.topic { display: grid; grid-template-columns: 1.75rem 1fr; align-items: center; margin-top: .9rem; }
.topic input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
.topic label { padding: .25rem 0; font-weight: 600; }
.topic p { grid-column: 2; margin: 0; color: var(--soft); }
button { font: inherit; padding: .55rem 1.1rem; border: 1px solid var(--soft); border-radius: 8px; margin: 0 .75rem .75rem 0; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
.saved { padding: .6rem 1rem; border-left: 4px solid var(--get); background: var(--raised); }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--ground); border-radius: 6px; }
.skip:focus { top: 1rem; z-index: 1; }
@media (max-width: 56rem) {
  .frame { display: block; }
  /* The groups alone: with every endpoint, the contents would be five screens of a phone. */
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding-bottom: 1rem; }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  nav li a { padding: .45rem 0; }
  nav h2 { display: inline-block; margin: 0 1.25rem 0 0; }
  nav h2 a { display: block; padding: .6rem 0; }
  nav h2 + ul { display: none; }
  nav > ul:last-child { margin-top: 0; }
}
@media (max-width: 40rem) {
  h2 { margin-top: 2.5rem; }
  thead { position: absolute; clip-path: inset(50%); }
  tbody, tr, td { display: block; }
  tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .75rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; }
  td:first-child { white-space: normal; overflow-wrap: anywhere; }
  td:last-child { flex-basis: 100%; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print { nav { display: none; } .frame { display: block; } }
`

/** Lets exactly this style sheet in, and nothing else. */
export const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}
