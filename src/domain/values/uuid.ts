/** Whether a text is a UUID, which PostgreSQL can compare with an id. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
