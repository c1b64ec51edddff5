/** A text of a content, which may hold anything the API takes. */
export function wordIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
