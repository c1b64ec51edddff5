import { logEvent, type Moment } from './client.ts'
import { run } from './commands.ts'
import { pageFacts } from './page.ts'
import { namesIn } from './unsent.ts'

/** The snippet's row of a page that closed before the script loaded; its name ends with the time. */
type EarlyRow = readonly [url: string, referrer: string, calls: readonly (readonly [words: object])[]]

const MARK = 'beckon-early-'
/** Commands that are not replayed: a page has its own `init`, and a prompt needs a recent click. */
const SKIPPED: ReadonlySet<unknown> = new Set(['init', 'subscribe'])

/** Runs the calls of earlier pages of this tab that no script received, with their own time and page. */
export async function runEarly(): Promise<void> {
  for (const name of namesIn(sessionStorage, MARK)) {
    const [url, referrer, calls]: EarlyRow = JSON.parse(sessionStorage.getItem(name) ?? '')
    sessionStorage.removeItem(name)
    const then = { at: Number(name.slice(MARK.length)), page: { ...pageFacts(), url, referrer } }
    for (const [words] of calls) {
      // The caller's page is closed, so nobody can handle the error.
      replay(Object.assign([], words), then).catch(() => undefined)
    }
  }
}

async function replay(words: readonly unknown[], then: Moment): Promise<unknown> {
  const [command, name, attributes, ltv] = words
  if (SKIPPED.has(command)) return undefined
  return command === 'event' ? logEvent(name, attributes, ltv, then) : run(...words)
}
