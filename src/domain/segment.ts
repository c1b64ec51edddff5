import { unreachable } from './unreachable.ts'

/** Who belongs to a segment, as a tree. It is stored in the form a caller writes it; `segment-filter.ts` reads that. */
export type Filter =
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'users'; readonly userIds: readonly string[] }

/** What a filter looks at: a subscription together with the person it belongs to, if it belongs to one. */
export type Member = {
  /** A merged person has several; a subscription that nobody logged in to has none. */
  readonly userIds: readonly string[]
  /** Those of the subscription and those of the person. */
  readonly tags: readonly string[]
}

export function matchFilter(filter: Filter, member: Member): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.of.every((part) => matchFilter(part, member))
    case 'any':
      return filter.of.some((part) => matchFilter(part, member))
    case 'not':
      return !matchFilter(filter.of, member)
    case 'tag':
      return member.tags.includes(filter.tag)
    case 'users':
      return filter.userIds.some((userId) => member.userIds.includes(userId))
    default:
      return unreachable(filter)
  }
}
