import { fault } from '../../domain/fault.ts'
import {
  emailFlaw,
  type Identifiers,
  mobileFlaw,
  normalEmail,
  userIdFlaw,
} from '../../domain/people/identifiers.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { JsonObject } from '../../domain/values/json.ts'

/**
 * The person of an entry. Without merging only `userID` counts, and the other two are not looked at; with merging, any
 * one of the three will do (spec §4.2, E3).
 */
export function parseIdentifiers(
  entry: JsonObject,
  settings: { readonly isMerging: boolean },
): Result<Identifiers> {
  const userId = readText(entry, 'userID', userIdFlaw)
  if (!userId.ok) return userId
  if (!settings.isMerging) {
    if (userId.value === null) return reject(fault('field_missing', 'userID'))
    return accept({ userId: userId.value, email: null, mobile: null })
  }
  const contacts = parseContacts(entry)
  if (!contacts.ok) return contacts
  const who = { userId: userId.value, ...contacts.value }
  if (who.userId === null && who.email === null && who.mobile === null) {
    return reject(fault('identifier_missing', 'userID', { fields: 'userID, email, mobile' }))
  }
  return accept(who)
}

/** The two addresses of a person, each optional. */
export function parseContacts(entry: JsonObject): Result<Pick<Identifiers, 'email' | 'mobile'>> {
  const email = readText(entry, 'email', (text) => emailFlaw(normalEmail(text)))
  if (!email.ok) return email
  const mobile = readText(entry, 'mobile', (text) => mobileFlaw(text.trim()))
  if (!mobile.ok) return mobile
  return accept({
    email: email.value === null ? null : normalEmail(email.value),
    mobile: mobile.value === null ? null : mobile.value.trim(),
  })
}

function readText(
  entry: JsonObject,
  field: string,
  flaw: (text: string) => string | null,
): Result<string | null> {
  const value = entry[field]
  if (value === undefined || value === null) return accept(null)
  if (typeof value !== 'string') return reject(fault('field_type', field, { expected: 'a string' }))
  const detail = flaw(value)
  return detail === null ? accept(value) : reject(fault('field_invalid', field, { detail }))
}
