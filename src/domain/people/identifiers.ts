import { PROFILE_LIMITS } from '../../rules/people.ts'
import { flawOf, isLonger } from '../values/text.ts'

/** The identifiers of one person in one request; null where the request gives none. */
export type Identifiers = {
  readonly userId: string | null
  readonly email: string | null
  readonly mobile: string | null
  /** The browser of a call that comes from a page. */
  readonly visitor?: string
}

/** The identifiers of a person of whom only the browser is known. */
export function visitorName(visitorId: string): Identifiers {
  return { userId: null, email: null, mobile: null, visitor: visitorId }
}

/** Whether a person is named by a browser, which only a publishable key does. */
export function isBrowser({ visitor }: Identifiers): boolean {
  return visitor !== undefined
}

/** Each of these functions returns the fault of a text, or null. */
export function userIdFlaw(text: string): string | null {
  if (text === '') return 'it is empty'
  if (text.trim() === '') return 'it is blank'
  const max = PROFILE_LIMITS.userIdCharsMax
  return isLonger(text, max) ? `it is longer than ${max} characters` : flawOf(text)
}

export function emailFlaw(text: string): string | null {
  if (isLonger(text, PROFILE_LIMITS.emailCharsMax)) {
    return `it is longer than ${PROFILE_LIMITS.emailCharsMax} characters`
  }
  return EMAIL.test(text) ? flawOf(text) : 'it is not an email address'
}

export function mobileFlaw(text: string): string | null {
  return E164.test(text) ? null : 'write it as E.164: a plus sign, the country code and the number'
}

/** Emails are stored in lower case: mail systems do not tell `Ann@x.org` from `ann@x.org`. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase()
}

const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u
const E164 = /^\+[1-9]\d{6,14}$/
