import { encodeJson, type Json } from '../../client/json.ts'

/** A value of an attribute as a table shows it. */
export function valueText(value: Json | undefined, without: string): string {
  if (value === undefined || value === null) return without
  return typeof value === 'string' ? value : encodeJson(value)
}
