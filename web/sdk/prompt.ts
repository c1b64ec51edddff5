import type { PromptOptions } from './beckon.d.ts'

/** Our own question, before the browser's, which can be asked only once. Closing it is a no. */
export async function askSoftly(options: PromptOptions): Promise<boolean> {
  const {
    title = 'Stay up to date',
    text = 'May we send you notifications? You can stop them at any time.',
  } = options
  const { accept = 'Yes, please', decline = 'Not now', theme = {} } = options
  const host = document.createElement('div')
  host.setAttribute('data-beckon-ignore', '')
  for (const [name, value] of Object.entries(theme)) host.style.setProperty(`--beckon-${name}`, value)
  const root = host.attachShadow({ mode: 'open' })
  root.innerHTML = FORM
  document.body.append(host)
  const dialog = root.querySelector('dialog')
  const [heading, words, no, yes] = root.querySelectorAll('[data-text]')
  for (const [element, content] of [
    [heading, title],
    [words, text],
    [no, decline],
    [yes, accept],
  ] as const) {
    if (element !== undefined) element.textContent = content
  }
  const answer = new Promise<boolean>((resolve) => {
    yes?.addEventListener('click', () => resolve(true))
    no?.addEventListener('click', () => resolve(false))
    root.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Escape') resolve(false)
    })
    dialog?.addEventListener('close', () => resolve(false))
  })
  const { activeElement: before } = document
  dialog?.show()
  const isYes = await answer
  host.remove()
  if (before instanceof HTMLElement) before.focus()
  return isYes
}

/** In a shadow, so that neither the page's style nor ours reaches the other. */
const FORM = `<style>
dialog{position:fixed;inset:auto auto 1rem 1rem;z-index:2147483647;max-width:min(24rem,calc(100vw - 2rem));box-sizing:border-box;margin:0;padding:1.25rem;border:0;border-radius:var(--beckon-radius,12px);box-shadow:0 8px 32px #0004;background:var(--beckon-background,#fff);color:var(--beckon-color,#1d2126);font:var(--beckon-font,16px/1.5 system-ui,sans-serif)}
h2{margin:0 0 .25rem;font-size:1.1em}p{margin:0 0 1rem}div{display:flex;gap:.5rem;justify-content:flex-end}
button{font:inherit;padding:.5rem 1rem;border:0;border-radius:8px;cursor:pointer;background:none;color:inherit}
button+button{background:var(--beckon-accent,#1d57b0);color:var(--beckon-accent-color,#fff)}
button:focus-visible{outline:2px solid var(--beckon-accent,#1d57b0);outline-offset:2px}
</style><dialog aria-labelledby="t" aria-describedby="p"><h2 id="t" data-text></h2><p id="p" data-text></p><div><button type="button" data-text></button><button type="button" data-text autofocus></button></div></dialog>`
