import type { AttributeType } from '../../rules/attributes.ts'
import { attributeTypeOf, fitsLock } from './attribute.ts'

/** The value of one attribute that is shown, and the mistyped one beside it; null where there is none. */
export type StoredValues = { readonly shown: unknown; readonly mistyped: unknown }

/** The moves after which the values follow a lock of another type. */
export type ValueMoves = { readonly isHidden: boolean; readonly isRevealed: boolean }

/** A shown value that does not fit becomes mistyped. A mistyped one that fits is shown, unless a shown one fits. */
export function planRetyping({ shown, mistyped }: StoredValues, type: AttributeType): ValueMoves {
  const isKept = fits(shown, type)
  return { isHidden: !isAbsent(shown) && !isKept, isRevealed: !isKept && fits(mistyped, type) }
}

function fits(value: unknown, locked: AttributeType): boolean {
  if (isAbsent(value)) return false
  const type = attributeTypeOf(value)
  return type !== null && fitsLock(locked, type)
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}
