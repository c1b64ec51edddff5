import { isJsonObject, type JsonObject } from '../domain/values/json.ts'

/** The JSON object in an answer's body. Null for HTML, half a body, or nothing: providers send these too. */
export function answerJson(body: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body)
    return isJsonObject(value) ? value : null
  } catch {
    // The verdict then depends on the status alone.
    return null
  }
}
