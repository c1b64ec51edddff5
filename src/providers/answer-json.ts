export type JsonObject = Readonly<Record<string, unknown>>

/** The object in an answer's body, or null: providers also answer with HTML, half a body, or nothing. */
export function answerJson(body: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body)
    return isJsonObject(value) ? value : null
  } catch {
    // The status alone then tells what happened.
    return null
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
