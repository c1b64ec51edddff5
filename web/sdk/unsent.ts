import { addEntry, type Entry } from '../shared/outbox.ts'
import { isObject } from '../shared/post.ts'

/** Each page has its own row, so that no tab overwrites another's. The names sort by the time of the first entry. */
const MARK = 'beckon-left-'

/** Saves entries when a page closes and IndexedDB would be too slow. The next page reads them. */
export function saveUnsent(entries: readonly Entry[], storage: Storage): void {
  const [first] = entries
  if (first !== undefined) storage.setItem(`${MARK}${first.at}-${first.id}`, JSON.stringify(entries))
}

/** Moves the entries of earlier pages to the outbox. A page that dies in between repeats it. */
export async function adoptUnsent(): Promise<void> {
  await navigator.locks.request('beckon-left', async () => {
    for (const [storage, name] of unsentRows()) {
      const entries: unknown = JSON.parse(storage.getItem(name) ?? '[]')
      for (const entry of Array.isArray(entries) ? entries : []) if (isEntry(entry)) await addEntry(entry)
      storage.removeItem(name)
    }
  })
}

export function dropUnsent(): void {
  for (const [storage, name] of unsentRows()) storage.removeItem(name)
}

function unsentRows(): readonly (readonly [storage: Storage, name: string])[] {
  return [sessionStorage, localStorage].flatMap((storage) =>
    namesIn(storage, MARK).map((name) => [storage, name] as const),
  )
}

/** The rows of a storage whose names begin with a mark, oldest first. */
export function namesIn(storage: Storage, mark: string): readonly string[] {
  const names = Object.keys(storage).filter((name) => name.startsWith(mark))
  // Not toSorted, which browsers of 2022 do not have; the list is our own.
  return names.sort()
}

/** Any script of the site may write to these storages. */
function isEntry(given: unknown): given is Entry {
  return isObject(given) && isObject(given['command'])
}
