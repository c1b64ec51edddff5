import { endBadDay, showBadDays, startBadDay } from './bad-day.ts'
import { beckon } from './beckon.ts'
import { addToCart } from './cart.ts'
import { element, swap } from './element.ts'
import { showGoods } from './goods.ts'
import { readKeys, saveKey } from './keys.ts'
import { describeStored, logStep } from './log.ts'
import { ADA, isKnown, login, logout, showPerson } from './person.ts'
import { isSubscribed, subscribe, WORKER } from './push.ts'
import { sendPush } from './send.ts'

/** The user of the sandbox's phone (`src/cli/demo-device.ts`). */
const PHONE_OWNER = 'demo-user'

let isReached = false

void start()

async function start(): Promise<void> {
  const { publishable, secret } = readKeys()
  element('secret-row', HTMLDivElement).hidden = secret !== null
  listen()
  if (publishable === null) return askForKey('')
  element('floor', HTMLDivElement).inert = false
  showPerson()
  showReached(await isSubscribed())
  return open(publishable)
}

function listen(): void {
  showGoods((tea) => void addToCart(tea))
  element('keys', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    saveKey('publishable', element('key', HTMLInputElement).value.trim())
    location.reload()
  })
  // A key that is typed and ended with Enter is a click on the button, not a new page.
  element('sending', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())
  element('bad-day', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())
  showBadDays()
  onClick('login', login)
  onClick('logout', logout)
  onClick('subscribe', async () => showReached(await subscribe()))
  onClick('unsubscribe', unsubscribe)
  onClick('send', async () => withSecret(send))
  onClick('day-start', async () => withSecret(startBadDay))
  onClick('day-end', async () => withSecret(endBadDay))
}

async function open(key: string): Promise<void> {
  const isOpen = await logStep({
    what: 'The page is opened. Page view, session and where it came from are logged by themselves.',
    code: `beckon('init', { key: '${key.slice(0, 14)}…' })`,
    outcome: beckon('init', { key, worker: WORKER }).then(describeStored),
  })
  // The browser may have the key of a Beckon that no longer exists.
  if (!isOpen) askForKey('Beckon refused the key that this browser has.')
}

function askForKey(flaw: string): void {
  element('keys', HTMLFormElement).hidden = false
  element('key-flaw', HTMLParagraphElement).textContent = flaw
  element('floor', HTMLDivElement).inert = true
}

async function unsubscribe(): Promise<void> {
  await logStep({
    what: 'No more news.',
    code: "await beckon('unsubscribe')",
    outcome: beckon('unsubscribe').then(describeStored),
  })
  showReached(false)
}

/** Works with the secret key, or asks for it. */
async function withSecret(work: (secret: string) => Promise<void>): Promise<void> {
  const field = element('secret', HTMLInputElement)
  if (field.value.trim() !== '') saveKey('secret', field.value.trim())
  const { secret } = readKeys()
  if (secret === null) return field.focus()
  return work(secret)
}

/** Sends to this browser if it is subscribed, otherwise to the sandbox's phone. */
async function send(secret: string): Promise<void> {
  if (isReached && !isKnown()) await login()
  const to = isReached
    ? ({ platform: 'web', userId: ADA } as const)
    : ({ platform: 'android', userId: PHONE_OWNER } as const)
  // After a failure the visitor can enter another key.
  element('secret-row', HTMLDivElement).hidden = await sendPush({ secret, to })
}

function showReached(now: boolean): void {
  isReached = now
  const [on, off] = [element('subscribe', HTMLButtonElement), element('unsubscribe', HTMLButtonElement)]
  if (now) swap(off, on)
  else swap(on, off)
  element('push-state', HTMLParagraphElement).textContent = now
    ? 'On. “Send one now” reaches this browser, also when this page is closed.'
    : 'Notifications, also when this page is closed.'
}

/** Handles one click at a time. The button is not disabled, because a disabled button loses the focus. */
function onClick(id: string, work: () => Promise<void>): void {
  const button = element(id, HTMLButtonElement)
  button.addEventListener('click', () => {
    if (button.ariaDisabled === 'true') return
    button.ariaDisabled = 'true'
    void work().finally(() => {
      button.ariaDisabled = null
    })
  })
}
