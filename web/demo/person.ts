import { DEMO_SHOPPER } from '../../src/rules/brand.ts'
import { beckon } from './beckon.ts'
import { element, swap } from './element.ts'
import { readKeys } from './keys.ts'
import { describeStored, logStep } from './log.ts'

/** The person this page logs in as. */
export const ADA = DEMO_SHOPPER

const STORAGE_KEY = 'beckon-demo-person'

export function isKnown(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== null
}

export async function login(): Promise<void> {
  const isStored = await logStep({
    what: 'Somebody logs in. The shop’s server signs who it is. What they did before now belongs to them.',
    code: `await beckon('user', {\n  userID: '${ADA}',\n  email: '${EMAIL}',\n  user_hash, // from the server of the shop\n}, { plan: 'gold' })`,
    outcome: askServer().then(async (proof) => {
      return describeStored(await beckon('user', { userID: ADA, email: EMAIL, ...proof }, { plan: 'gold' }))
    }),
  })
  if (isStored) localStorage.setItem(STORAGE_KEY, ADA)
  showPerson()
}

const EMAIL = 'ada@example.com'

/** The server of a real shop knows who is logged in, and renders the signature into the page. */
async function askServer(): Promise<{ readonly user_hash?: string }> {
  const headers = { authorization: `Bearer ${readKeys().publishable}` }
  const answer = await fetch('/demo/login', { method: 'POST', headers })
  const { user_hash } = await answer.json()
  return typeof user_hash === 'string' ? { user_hash } : {}
}

export async function logout(): Promise<void> {
  await logStep({
    what: 'They log out. The next visitor starts without their history.',
    code: "await beckon('logout')",
    outcome: beckon('logout').then(describeStored),
  })
  localStorage.removeItem(STORAGE_KEY)
  showPerson()
}

export function showPerson(): void {
  const [inButton, outButton] = [element('login', HTMLButtonElement), element('logout', HTMLButtonElement)]
  element('who', HTMLParagraphElement).textContent = isKnown()
    ? 'Ada. Her profile has everything she did here.'
    : 'An anonymous visitor. Their events join the person at login.'
  if (isKnown()) swap(outButton, inButton)
  else swap(inButton, outButton)
}
