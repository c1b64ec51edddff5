/** Whether a text can be an id that PostgreSQL keeps as a `uuid`; what cannot be one names nothing. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
