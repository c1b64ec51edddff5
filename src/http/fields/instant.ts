/** An instant as replies write it: ISO 8601 in UTC, to the millisecond. */
export function instantOf(at: number): string {
  return new Date(at).toISOString()
}
