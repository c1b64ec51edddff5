import { encodeJson } from './json.ts'

/** The first characters of a value's JSON. Only as much of the value is looked at, however large it is. */
export function encodeStart(value: unknown, charsMax: number): string {
  return encodeJson(cut(value, { left: charsMax })).slice(0, charsMax)
}

/** Counts down by no more characters than the JSON of what was kept has, so the kept part is never too short. */
type Room = { left: number }

function cut(value: unknown, room: Room): unknown {
  if (typeof value === 'string') return cutText(value, room)
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      if (room.left <= 0) break
      room.left -= 1
      items.push(cut(item, room))
    }
    return items
  }
  if (typeof value !== 'object' || value === null) return value
  return cutMembers(value, room)
}

function cutMembers(value: object, room: Room): object {
  const members: [string, unknown][] = []
  for (const name in value) {
    if (room.left <= 0) break
    // Names stay whole: a cut one could be another's.
    room.left -= 1 + name.length
    members.push([name, cut(Reflect.get(value, name), room)])
  }
  return Object.fromEntries(members)
}

function cutText(text: string, room: Room): string {
  const kept = text.slice(0, Math.max(room.left, 0))
  room.left -= kept.length
  return kept
}
