import { createHash } from 'node:crypto'

/**
 * A UUIDv7 that is computed from a moment and a name, so the same moment and name always give the same id. Its time
 * comes first, so ids sort in the order of their moments.
 */
export function stableId(at: number, name: string): string {
  const time = Math.trunc(at).toString(16).padStart(12, '0')
  const rest = createHash('sha256').update(`${at} ${name}`).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(rest.charAt(3), 16) % 4)
  return [
    time.slice(0, 8),
    time.slice(8, 12),
    `7${rest.slice(0, 3)}`,
    `${variant}${rest.slice(4, 7)}`,
    rest.slice(8, 20),
  ].join('-')
}
