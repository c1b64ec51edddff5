import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf, NEXT_CURSOR, TEXT_OR_NULL } from '../schema/view.ts'

/** A person behind a number about events, as the store lists them. */
type ListedPerson = {
  readonly userId: string | null
  readonly startedAt: number
  readonly at: number
}

export function renderPersonRow({ userId, startedAt, at }: ListedPerson): object {
  return { user_id: userId, started_at: instantOf(startedAt), at: instantOf(at) }
}

/** A page of such people; `atMeaning` says which moment `at` is. */
export function personRowsView(atMeaning: string) {
  return Type.Object({
    people: Type.Array(
      Type.Object({
        user_id: TEXT_OR_NULL,
        started_at: INSTANT,
        at: Type.String({ format: 'date-time', description: atMeaning }),
      }),
    ),
    ...NEXT_CURSOR,
  })
}
