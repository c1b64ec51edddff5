import { isOn, STORED, track } from './client.ts'
import { clip } from './clip.ts'

/** Watches the page for system events. Resolves when the page view is committed. */
export async function startTracking(): Promise<unknown> {
  if (isOn('scroll')) watchScroll()
  if (isOn('clicks') || isOn('downloads')) watchClicks()
  if (isOn('forms')) watchForms()
  if (!isOn('pageViews')) return STORED
  await parsed()
  watchPages()
  return viewPage()
}

/** Waits for the document, because the script may run before the title is known. */
async function parsed(): Promise<void> {
  if (document.readyState !== 'loading') return
  await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
}

let reached = 0

function viewPage(): Promise<unknown> {
  reached = 0
  return track('page_viewed', { title: clip(document.title), path: clip(location.pathname) })
}

/** A router changes the address without loading a page; the title changes a moment later. */
function watchPages(): void {
  let last = address()
  const look = (): void => {
    if (address() === last) return
    last = address()
    setTimeout(() => void viewPage())
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name].bind(history)
    history[name] = (...args) => {
      change(...args)
      look()
    }
  }
  addEventListener('popstate', look)
}

/** The address without an anchor. A hash that is a route (`#/`, `#!`) counts. */
function address(): string {
  return location.href.replace(/#(?![/!]).*/, '')
}

function watchScroll(): void {
  addEventListener(
    'scroll',
    () => {
      const { scrollHeight, scrollTop } = document.scrollingElement ?? document.documentElement
      const percent = ((scrollTop + innerHeight + 2) / scrollHeight) * 100
      for (const step of STEPS) {
        if (step <= reached || percent < step) continue
        reached = step
        void track('page_scrolled', { percent: step, path: clip(location.pathname) })
      }
    },
    { passive: true },
  )
}

const STEPS = [25, 50, 75, 100]

function watchClicks(): void {
  addEventListener('click', lookAtLink, true)
  addEventListener('auxclick', lookAtLink, true)
}

function lookAtLink({ target }: Event): void {
  const link = closest(target, 'a[href]')
  if (!(link instanceof HTMLAnchorElement) || isIgnored(link)) return
  const url = clip(link.href)
  const file = FILE.exec(link.pathname)?.[1]
  if (file !== undefined || link.hasAttribute('download')) {
    if (isOn('downloads')) void track('file_downloaded', { url, file: clip(file ?? link.download) })
  } else if (/^https?:$/.test(link.protocol) && link.host !== location.host && isOn('clicks')) {
    void track('outbound_clicked', { url })
  }
}

const FILE = /([^/]+\.(?:pdf|zip|gz|rar|7z|dmg|exe|msi|apk|docx?|xlsx?|pptx?|csv|mp[34]|mov|epub))$/i

/** Logs that a form was submitted, never its content. */
function watchForms(): void {
  addEventListener(
    'submit',
    ({ target }) => {
      if (!(target instanceof HTMLFormElement) || isIgnored(target)) return
      const name = (key: string): string => clip(target.getAttribute(key) ?? '')
      void track('form_submitted', {
        form_id: name('id'),
        form_name: name('name'),
        path: clip(location.pathname),
      })
    },
    true,
  )
}

function closest(target: EventTarget | null, selector: string): Element | null {
  return target instanceof Element ? target.closest(selector) : null
}

function isIgnored(element: Element): boolean {
  return element.closest('[data-beckon-ignore]') !== null
}
