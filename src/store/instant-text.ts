/** An instant as PostgreSQL writes it, in milliseconds. Sessions are in UTC. */
export function parseInstant(text: string): number {
  // `Date.parse` takes `0001-01-01 00:00:00+00` for 2001, so the text is made ISO 8601 first.
  return Date.parse(text.replace(' ', 'T').replace('+00', 'Z'))
}
