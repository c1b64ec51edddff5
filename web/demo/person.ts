import { beckon } from './beckon.ts'
import { element, swap } from './element.ts'
import { describeStored, logStep } from './log.ts'

/** The person this page logs in as. */
export const ADA = 'ada'

const STORAGE_KEY = 'beckon-demo-person'

export function isKnown(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== null
}

export async function login(): Promise<void> {
  const isStored = await logStep({
    what: 'Somebody logs in. What they did before now belongs to them.',
    code: `await beckon('user', {\n  userID: '${ADA}',\n  email: '${EMAIL}',\n}, { plan: 'gold' })`,
    outcome: beckon('user', { userID: ADA, email: EMAIL }, { plan: 'gold' }).then(describeStored),
  })
  if (isStored) localStorage.setItem(STORAGE_KEY, ADA)
  showPerson()
}

const EMAIL = 'ada@example.com'

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
