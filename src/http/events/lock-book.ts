import type { FindAttributeLock } from '../../domain/events/attributes.ts'
import type { FindTypeLocks } from '../../domain/events/type-locks.ts'
import type { Result } from '../../domain/result.ts'
import type { Deps } from '../deps.ts'

/** The type locks that one call is parsed with, and the attributes whose lock was asked for and not known. */
export type LockBook = {
  readonly find: FindTypeLocks
  /** Whether a browser calls: it is bound by provisional locks too. */
  readonly isOfBrowser: boolean
  readonly unknown: Map<string, Set<string>>
}

export function emptyLockBook(): LockBook {
  return { find: () => undefined, isOfBrowser: false, unknown: new Map() }
}

/** Finds the locks of one event, and notes the ones that are not known. */
export function lockFinder({ find, isOfBrowser, unknown }: LockBook, eventName: string): FindAttributeLock {
  return (attribute) => {
    const lock = find(eventName)?.get(attribute)
    if (lock === undefined) {
      const names = unknown.get(eventName) ?? new Set()
      unknown.set(eventName, names.add(attribute))
    }
    return lock === undefined || (lock.isProvisional && !isOfBrowser) ? undefined : lock.type
  }
}

/**
 * Parses a call of events with the type locks that this process knows. If a lock that is not known could decide about
 * the maxima of types, the locks are loaded and the call is parsed once more.
 */
export async function parseWithLocks<Value>(
  { intake }: Pick<Deps, 'intake'>,
  { brandId, isOfBrowser }: { readonly brandId: number; readonly isOfBrowser: boolean },
  parse: (locks: LockBook) => Result<Value> | Promise<Result<Value>>,
): Promise<Result<Value>> {
  const locks = { find: intake.findLocks(brandId), isOfBrowser, unknown: new Map<string, Set<string>>() }
  const parsed = await parse(locks)
  if (locks.unknown.size === 0) return parsed
  await intake.loadLocks(brandId, locks.unknown)
  return parse({ ...locks, unknown: new Map() })
}
