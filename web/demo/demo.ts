import { beckon } from './beckon.ts'
import { element } from './element.ts'
import { showGoods, type Tea } from './goods.ts'
import { keepKey, readKeys } from './keys.ts'
import { logStep } from './log.ts'
import { subscribe } from './push.ts'
import { sendPush } from './send.ts'

/** The person this page logs in as, and the one who owns the sandbox's phone (`src/cli/demo-device.ts`). */
const ADA = 'ada'
const PHONE_OWNER = 'demo-user'

let isSubscribed = false
let isKnown = false

start()

function start(): void {
  const { publishable, secret } = readKeys()
  element('keys', HTMLFormElement).hidden = publishable !== null
  element('secret-row', HTMLDivElement).hidden = secret !== null
  listen()
  if (publishable !== null) void open(publishable)
}

function listen(): void {
  showGoods((tea) => void addToCart(tea))
  element('keys', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    keepKey('publishable', element('key', HTMLInputElement).value.trim())
    location.reload()
  })
  // A key that is typed and ended with Enter is a click on the button, not a new page.
  element('sending', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())
  onClick('login', login)
  onClick('logout', logout)
  onClick('subscribe', async () => showSubscribed(await subscribe()))
  onClick('unsubscribe', unsubscribe)
  onClick('send', send)
}

async function open(key: string): Promise<void> {
  await logStep({
    what: 'The page is opened. Page view, session and where it came from are logged by themselves.',
    code: `beckon('init', { key: '${key.slice(0, 14)}…' })`,
    outcome: beckon('init', { key, worker: '/demo/sw.js' }).then(told),
  })
}

async function addToCart({ sku, name, price }: Tea): Promise<void> {
  await logStep({
    what: `${name} goes into the cart.`,
    code: `await beckon('event', 'cart_add', { sku: '${sku}' }, '${price}')`,
    outcome: beckon('event', 'cart_add', { sku }, price).then(told),
  })
}

async function login(): Promise<void> {
  const user = { userID: ADA, email: 'ada@example.com' }
  await logStep({
    what: 'Somebody logs in. What they did before now belongs to them.',
    code: `await beckon('user', ${JSON.stringify(user)}, { plan: 'gold' })`,
    outcome: beckon('user', user, { plan: 'gold' }).then(told),
  })
  showKnown(true)
}

async function logout(): Promise<void> {
  await logStep({
    what: 'They log out. Whoever comes next is somebody else.',
    code: "await beckon('logout')",
    outcome: beckon('logout').then(told),
  })
  showKnown(false)
}

async function unsubscribe(): Promise<void> {
  await logStep({
    what: 'No more news.',
    code: "await beckon('unsubscribe')",
    outcome: beckon('unsubscribe').then(told),
  })
  showSubscribed(false)
}

/** To this browser where that is possible, else to the phone that every machine has. */
async function send(): Promise<void> {
  const field = element('secret', HTMLInputElement)
  if (field.value.trim() !== '') keepKey('secret', field.value.trim())
  const { secret } = readKeys()
  element('secret-row', HTMLDivElement).hidden = secret !== null
  if (secret === null) return field.focus()
  if (isSubscribed && !isKnown) await login()
  const to = isSubscribed
    ? ({ platform: 'web', userId: ADA } as const)
    : ({ platform: 'android', userId: PHONE_OWNER } as const)
  return sendPush({ secret, to })
}

function showKnown(now: boolean): void {
  isKnown = now
  element('login', HTMLButtonElement).hidden = now
  element('logout', HTMLButtonElement).hidden = !now
  element('who', HTMLParagraphElement).textContent = now
    ? 'Ada. Her profile has everything she did here.'
    : 'A visitor nobody knows yet. Their events join the person at login.'
}

function showSubscribed(now: boolean): void {
  isSubscribed = now
  element('subscribe', HTMLButtonElement).hidden = now
  element('unsubscribe', HTMLButtonElement).hidden = !now
  element('push-state', HTMLParagraphElement).textContent = now
    ? 'On. “Send one now” reaches this browser, also when this page is closed.'
    : 'Notifications, also when this page is closed.'
}

function told({ state }: { readonly state: string }): string {
  return state === 'stored' ? 'stored: Beckon has committed it' : 'not wanted, by consent or by optOut'
}

/** One click at a time: the button waits with us. */
function onClick(id: string, work: () => Promise<void>): void {
  const button = element(id, HTMLButtonElement)
  button.addEventListener('click', () => {
    button.disabled = true
    void work().finally(() => {
      button.disabled = false
    })
  })
}
