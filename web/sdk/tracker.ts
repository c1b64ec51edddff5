import { happen, isOn, STORED } from './client.ts'
import { clip } from './clip.ts'

/** Watches the page for what is tracked by itself. Gives back when the page view is committed. */
export async function startTracking(): Promise<unknown> {
  if (isOn('scroll')) watchScroll()
  if (isOn('clicks') || isOn('downloads')) watchClicks()
  if (isOn('forms')) watchForms()
  if (!isOn('pageViews')) return STORED
  await parsed()
  watchPages()
  return viewPage()
}

/** The script may be there before the title is. */
async function parsed(): Promise<void> {
  if (document.readyState !== 'loading') return
  await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
}

let reached = 0

function viewPage(): Promise<unknown> {
  reached = 0
  return happen('pageView', { title: clip(document.title), path: clip(location.pathname) })
}

/** A router changes the address without loading anything; the title follows a moment later. */
function watchPages(): void {
  let last = place()
  const look = (): void => {
    if (place() === last) return
    last = place()
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

/** The address without a jump within the page; a hash that is a route of its own counts. */
function place(): string {
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
        void happen('scroll', { percent: step, path: clip(location.pathname) })
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
    if (isOn('downloads')) void happen('download', { url, file: clip(file ?? link.download) })
  } else if (/^https?:$/.test(link.protocol) && link.host !== location.host && isOn('clicks')) {
    void happen('outboundClick', { url })
  }
}

const FILE = /([^/]+\.(?:pdf|zip|gz|rar|7z|dmg|exe|msi|apk|docx?|xlsx?|pptx?|csv|mp[34]|mov|epub))$/i

/** That a form was sent, never what was in it. */
function watchForms(): void {
  addEventListener(
    'submit',
    ({ target }) => {
      if (!(target instanceof HTMLFormElement) || isIgnored(target)) return
      const name = (key: string): string => clip(target.getAttribute(key) ?? '')
      void happen('formSubmit', {
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
