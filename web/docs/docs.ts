import { bindCopy } from './copy.ts'
import { loadLines } from './lines.ts'
import { addressOf } from './search.ts'
import { bindSearch } from './search-box.ts'

// The script is loaded in the head: what needs it is shown from the first paint on, and nothing moves later.
document.documentElement.classList.add('ready')

document.addEventListener('DOMContentLoaded', () => {
  bindCopy()
  bindSearch()
  bindMenu()
  followOldHash().catch((cause: unknown) => console.error(cause))
})

/** On a narrow screen the contents are folded behind a button. */
function bindMenu(): void {
  const button = document.querySelector('.menu')
  button?.addEventListener('click', () => {
    const isOpen = document.documentElement.classList.toggle('contents-open')
    button.setAttribute('aria-expanded', String(isOpen))
  })
}

/** `/docs` was one page once, and its parts had addresses such as `/docs#error-not_found`. */
async function followOldHash(): Promise<void> {
  const { pathname, hash } = location
  if (!/^\/docs\/?$/i.test(pathname) || hash === '' || document.getElementById(hash.slice(1)) !== null) return
  const address = addressOf(await loadLines(), hash)
  if (address !== null) location.replace(address)
}
