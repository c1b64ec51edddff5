import type { PromptOptions } from './beckon.d.ts'

/** Shows the SDK's dialog before the browser's question, which can be asked only once. Closing it is a no. */
export async function askSoftly(options: PromptOptions): Promise<boolean> {
  const {
    title = 'Stay up to date',
    text = 'May we send you notifications? You can stop them at any time.',
  } = options
  const { accept = 'Yes, please', decline = 'Not now', theme = {} } = options
  const host = document.createElement('div')
  host.setAttribute('data-beckon-ignore', '')
  for (const [name, value] of Object.entries(theme)) host.style.setProperty(`--beckon-${name}`, value)
  const dialog = document.createElement('dialog')
  add(dialog, 'h2', title)
  add(dialog, 'p', text)
  dialog.setAttribute('aria-label', title)
  const no = add(dialog, 'button', decline)
  const yes = add(dialog, 'button', accept)
  // In a shadow root, so that the styles of page and dialog do not mix; as a style sheet object, which any CSP allows.
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  root.adoptedStyleSheets = [sheet]
  root.append(dialog)
  document.body.append(host)
  const { activeElement: before } = document
  const answer = new Promise<boolean>((resolve) => {
    yes.onclick = () => resolve(true)
    no.onclick = () => resolve(false)
    dialog.onkeydown = ({ key }) => {
      if (key === 'Escape') resolve(false)
    }
  })
  dialog.show()
  const isYes = await answer
  host.remove()
  if (before instanceof HTMLElement) before.focus()
  return isYes
}

function add(parent: HTMLElement, tag: 'h2' | 'p' | 'button', text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  parent.append(element)
  return element
}

const STYLE = `dialog{position:fixed;inset:auto auto 1rem 1rem;z-index:2147483647;max-width:min(24rem,calc(100vw - 2rem));box-sizing:border-box;padding:1.25rem;border:1px solid #8884;border-radius:var(--beckon-radius,12px);box-shadow:0 8px 32px #0004;background:var(--beckon-background,#fff);color:var(--beckon-color,#1d2126);font:var(--beckon-font,16px/1.5 system-ui,sans-serif);text-align:right}
h2,p{margin:0 0 .5rem;text-align:left}h2{font-size:1.1em}p{margin-bottom:1rem}
button{font:inherit;padding:.5rem 1rem;border:0;border-radius:8px;cursor:pointer;background:none;color:inherit}
button+button{margin-left:.5rem;background:var(--beckon-accent,#1d57b0);color:var(--beckon-accent-color,#fff)}
button:focus-visible{outline:2px solid var(--beckon-accent,#1d57b0);outline-offset:2px}`
