import { addEntry, type Entry } from '../shared/outbox.ts'
import { isObject } from '../shared/post.ts'

/** Each page has a row of its own, so that no tab writes over another's; the names sort by the time of the first entry. */
const MARK = 'beckon-left-'

/** A page that is left has no time for IndexedDB. These stores take a row at once, and the next page finds it there. */
export function leave(entries: readonly Entry[], place: Storage): void {
  const [first] = entries
  if (first !== undefined) place.setItem(`${MARK}${first.at}-${first.id}`, JSON.stringify(entries))
}

/** Brings what earlier pages left into the outbox, then takes it away: a page that dies in between repeats it. */
export async function adoptLeft(): Promise<void> {
  await navigator.locks.request('beckon-left', async () => {
    for (const [place, name] of rowsLeft()) {
      const entries: unknown = JSON.parse(place.getItem(name) ?? '[]')
      for (const entry of Array.isArray(entries) ? entries : []) if (isEntry(entry)) await addEntry(entry)
      place.removeItem(name)
    }
  })
}

export function dropLeft(): void {
  for (const [place, name] of rowsLeft()) place.removeItem(name)
}

function rowsLeft(): readonly (readonly [place: Storage, name: string])[] {
  return [sessionStorage, localStorage].flatMap((place) =>
    namesIn(place, MARK).map((name) => [place, name] as const),
  )
}

/** The rows of a store that begin with a mark, oldest first; a browser keeps them in no order. */
export function namesIn(place: Storage, mark: string): readonly string[] {
  const names = Object.keys(place).filter((name) => name.startsWith(mark))
  // Of its own list, since browsers of 2022 have no toSorted.
  return names.sort()
}

/** The stores are the site's own, and anybody there may write to them. */
function isEntry(given: unknown): given is Entry {
  return isObject(given) && isObject(given['command'])
}
