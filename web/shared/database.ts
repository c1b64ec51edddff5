import type { Row } from './row.ts'

/** The stores of IndexedDB, which all tabs and the service worker of a site share. */
export type StoreName = 'facts' | 'outbox' | 'receipts' | 'shown'

const VERSION = 1
const STORES: Readonly<Record<StoreName, IDBObjectStoreParameters>> = {
  facts: {},
  outbox: { keyPath: 'seq', autoIncrement: true },
  receipts: { keyPath: 'seq', autoIncrement: true },
  shown: { keyPath: 'id' },
}

let opened: Promise<IDBDatabase> | undefined

async function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('beckon', VERSION)
    request.onupgradeneeded = () => {
      for (const [name, options] of Object.entries(STORES)) request.result.createObjectStore(name, options)
    }
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      // A tab with a newer version must not wait for this one.
      request.result.onversionchange = () => request.result.close()
      request.result.onclose = () => {
        opened = undefined
      }
      resolve(request.result)
    }
  })
  return opened
}

/** Runs one transaction over one store: all requests of `work` in order, or none. */
export async function within<Value>(
  name: StoreName,
  work: (store: IDBObjectStore) => IDBRequest<Value> | undefined,
): Promise<Value | undefined> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, 'readwrite')
    const request = work(transaction.objectStore(name))
    transaction.oncomplete = () => resolve(request?.result)
    transaction.onabort = () => reject(transaction.error)
  })
}

/** The first rows of a store, oldest first. */
export async function firstRows(name: StoreName, count: number): Promise<readonly Row[]> {
  return (await within<Row[]>(name, (store) => store.getAll(null, count))) ?? []
}

/** Deletes the rows up to this number, itself included. */
export async function dropRows(name: StoreName, last: number): Promise<void> {
  await within(name, (store) => store.delete(IDBKeyRange.upperBound(last)))
}

/** Adds a row, and deletes the oldest rows beyond the maximum. */
export async function addRow(name: StoreName, row: Row, rowsMax: number): Promise<void> {
  await within(name, (store) => {
    store.add(row)
    const count = store.count()
    count.onsuccess = () => {
      let excess = count.result - rowsMax
      if (excess <= 0) return
      const walk = store.openCursor()
      walk.onsuccess = () => {
        const cursor = walk.result
        if (cursor === null || excess-- <= 0) return
        cursor.delete()
        cursor.continue()
      }
    }
    return undefined
  })
}
