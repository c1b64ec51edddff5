import { beckon } from './beckon.ts'
import { element, swap } from './element.ts'
import { logStep, told } from './log.ts'

/** The person this page logs in as. */
export const ADA = 'ada'

const PLACE = 'beckon-demo-person'

export function isKnown(): boolean {
  return localStorage.getItem(PLACE) !== null
}

export async function login(): Promise<void> {
  const isStored = await logStep({
    what: 'Somebody logs in. What they did before now belongs to them.',
    code: `await beckon('user', {\n  userID: '${ADA}',\n  email: '${EMAIL}',\n}, { plan: 'gold' })`,
    outcome: beckon('user', { userID: ADA, email: EMAIL }, { plan: 'gold' }).then(told),
  })
  if (isStored) localStorage.setItem(PLACE, ADA)
  showPerson()
}

const EMAIL = 'ada@example.com'

export async function logout(): Promise<void> {
  await logStep({
    what: 'They log out. Whoever comes next is somebody else.',
    code: "await beckon('logout')",
    outcome: beckon('logout').then(told),
  })
  localStorage.removeItem(PLACE)
  showPerson()
}

export function showPerson(): void {
  const [inButton, outButton] = [element('login', HTMLButtonElement), element('logout', HTMLButtonElement)]
  element('who', HTMLParagraphElement).textContent = isKnown()
    ? 'Ada. Her profile has everything she did here.'
    : 'A visitor nobody knows yet. Their events join the person at login.'
  if (isKnown()) swap(outButton, inButton)
  else swap(inButton, outButton)
}
