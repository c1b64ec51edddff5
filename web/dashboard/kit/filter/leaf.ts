import { SEGMENT_LIMITS } from '../../../../src/rules/segments.ts'
import type { Written } from './written.ts'

export type LeafProps = {
  readonly leaf: Written
  readonly onChange: (leaf: Written) => void
}

/** `event`: the event whose attribute is compared; '' for one of the person. */
export type ComparisonProps = LeafProps & { readonly event: string }

/** The limits of names, for the fields that take them. */
export const CHARS_MAX = {
  tag: SEGMENT_LIMITS.tagCharsMax,
  event: SEGMENT_LIMITS.eventCharsMax,
  attribute: SEGMENT_LIMITS.attributeCharsMax,
} as const
