import type { Row } from './row.ts'

/** What pages and their worker share: IndexedDB, which every tab and the service worker of a site see alike. */
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
      // Another tab with a newer version must not have to wait for this one.
      request.result.onversionchange = () => request.result.close()
      request.result.onclose = () => {
        opened = undefined
      }
      resolve(request.result)
    }
  })
  return opened
}

/** One transaction over one store. What `work` asks for happens in its order and all together, or not at all. */
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

/** The first rows of a store, in the order they came. */
export async function firstRows(name: StoreName, count: number): Promise<readonly Row[]> {
  return (await within<Row[]>(name, (store) => store.getAll(null, count))) ?? []
}

/** Takes away the rows up to and with this number. */
export async function dropRows(name: StoreName, last: number): Promise<void> {
  await within(name, (store) => store.delete(IDBKeyRange.upperBound(last)))
}

/** Adds a row, and lets go of the oldest ones when there are too many. */
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
