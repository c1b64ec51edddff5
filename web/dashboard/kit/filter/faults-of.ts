import { BeckonError } from '../../../client/failure.ts'

/** Something that the API says about a place of the filter: a flaw, or a warning. */
export type FilterFault = {
  /** The path of the place: `filter.all[1].value`. */
  readonly field: string
  readonly message: string
  readonly tone: 'bad' | 'note'
}

type Told = { readonly warnings?: readonly { readonly field: string; readonly message: string }[] }

/**
 * The flaws and warnings of a reply that are about places of a filter. `field`: the field of the request that had the
 * filter. The places are named from `filter` on, as the builder names them.
 */
export function faultsOf(
  error: Error | null,
  reply: Told | undefined,
  field = 'filter',
): readonly FilterFault[] {
  const errors = error instanceof BeckonError ? error.errors : []
  const warnings = error === null ? (reply?.warnings ?? []) : []
  return [
    ...errors.map((one) => ({ field: one.field ?? '', message: one.message, tone: 'bad' as const })),
    ...warnings.map((one) => ({ field: one.field, message: one.message, tone: 'note' as const })),
  ]
    .filter((one) => [one.field, one.field.split(/[.[]/, 1)[0]].includes(field))
    .map((one) => ({ ...one, field: `filter${one.field.slice(field.length)}` }))
}
