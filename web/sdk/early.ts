import { logEvent, type Moment } from './client.ts'
import { run } from './commands.ts'
import { namesIn } from './left.ts'
import { pageFacts } from './page.ts'

/** The snippet's row for a page that was left before the script came; its name ends with the moment. */
type EarlyRow = readonly [url: string, referrer: string, calls: readonly (readonly [words: object])[]]

const MARK = 'beckon-early-'
/** A page has an `init` of its own, and a question needs a reader who just clicked. */
const PASSED: ReadonlySet<unknown> = new Set(['init', 'subscribe'])

/** Takes up what earlier pages of this tab were told in vain, as of the time and the page of then. */
export async function runEarly(): Promise<void> {
  for (const name of namesIn(sessionStorage, MARK)) {
    const [url, referrer, calls]: EarlyRow = JSON.parse(sessionStorage.getItem(name) ?? '')
    sessionStorage.removeItem(name)
    const then = { at: Number(name.slice(MARK.length)), page: { ...pageFacts(), url, referrer } }
    for (const [words] of calls) {
      // Whoever asked is gone, and with them who could be told.
      replay(Object.assign([], words), then).catch(() => undefined)
    }
  }
}

async function replay(words: readonly unknown[], then: Moment): Promise<unknown> {
  const [command, name, attributes, ltv] = words
  if (PASSED.has(command)) return undefined
  return command === 'event' ? logEvent(name, attributes, ltv, then) : run(...words)
}
