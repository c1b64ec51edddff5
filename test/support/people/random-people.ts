import * as fc from 'fast-check'
import { encodeJson } from '../../../src/domain/values/json.ts'
import type { TestDatabase } from '../database/database.ts'
import { NOW, PERSON, type Person } from '../segments/segments.ts'
import { savePeople } from './people.ts'

export const DAY_MS = 86_400_000

/** Time spans that contain a part of the random people's events. */
export const SPAN = {
  fromAt: fc.constantFrom(NOW - 5 * DAY_MS, NOW - 2 * DAY_MS),
  toAt: fc.constantFrom(NOW - DAY_MS, NOW + 1),
} as const

export type StoredPeople = { readonly brandId: number; readonly people: readonly Person[] }

/** Stores random people, each with a user id, and runs the check for random questions about them. */
export async function checkOnRandomPeople<Asked>(
  { database, brand }: Pick<TestDatabase, 'database' | 'brand'>,
  question: fc.Arbitrary<Asked>,
  check: (stored: StoredPeople, asked: Asked) => Promise<void>,
): Promise<void> {
  const persons = fc.array(PERSON, { minLength: 1, maxLength: 10 })
  const questions = fc.array(question, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(persons, questions, async (strangers, wanted) => {
      const { brandId } = await brand()
      const people = strangers.map((person, at) => ({ ...person, userIds: [`u${at}`] }))
      await savePeople(database, brandId, people)
      for (const asked of wanted) await check({ brandId, people }, asked)
    }),
    { numRuns: 20 },
  )
}

/** A group of events as text. The database writes the digits of a large number, which JavaScript writes with an exponent. */
export function groupText(key: readonly unknown[]): string {
  return encodeJson(
    key.map((value) => (typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value)),
  )
}
