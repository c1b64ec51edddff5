import { int64In } from '../../domain/values/int64.ts'

/** An int64 as it stands in an address or a cursor; null for what is none. */
export function parseInt64(text: string): bigint | null {
  return int64In(text)
}
