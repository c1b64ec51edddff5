/**
 * The part of IndexedDB that `web/shared/database.ts` uses, in memory: a transaction works on the stores at once, answers
 * its requests in order, each in a turn of its own, and completes when none is left.
 */
type Key = string | number
type Stored = Map<Key, unknown>
type StoreOptions = { readonly keyPath?: string; readonly autoIncrement?: boolean }
type Store = { readonly rows: Stored; readonly options: StoreOptions; last: number }
type Request = { result: unknown; onsuccess?: () => void }

/** A range of keys up to this one. */
type UpTo = { readonly upTo: number }

export class MemoryDatabase {
  readonly #stores = new Map<string, Store>()

  /** Takes the place of `indexedDB` and `IDBKeyRange` for everything that is imported later. */
  install(): void {
    const isNew = this.#stores.size === 0
    const open = () => {
      const request = { result: this.#handle(), onupgradeneeded: () => undefined, onsuccess: () => undefined }
      queueMicrotask(() => {
        if (isNew) request.onupgradeneeded()
        request.onsuccess()
      })
      return request
    }
    Reflect.set(globalThis, 'indexedDB', { open })
    Reflect.set(globalThis, 'IDBKeyRange', { upperBound: (upTo: number): UpTo => ({ upTo }) })
  }

  /** Writes a row, or deletes it when it is undefined, without waiting for anybody. */
  set(name: string, key: Key, row: unknown): void {
    const { rows } = this.#store(name)
    if (row === undefined) rows.delete(key)
    else rows.set(key, row)
  }

  /** The rows of a store, in the order of their keys. */
  rows(name: string): readonly unknown[] {
    return sorted(this.#store(name)).map(([, row]) => row)
  }

  #handle() {
    return {
      createObjectStore: (name: string, options: StoreOptions) =>
        this.#stores.set(name, { rows: new Map(), options, last: 0 }),
      transaction: (name: string) => new Transaction(this.#store(name)),
    }
  }

  #store(name: string): Store {
    const store = this.#stores.get(name)
    if (store === undefined) throw new Error(`there is no store ${name}`)
    return store
  }
}

class Transaction {
  oncomplete = (): void => undefined
  readonly #store: Store
  readonly #requests: Request[] = []

  constructor(store: Store) {
    this.#store = store
    setImmediate(() => this.#answer())
  }

  objectStore() {
    const { rows } = this.#store
    return {
      get: (key: Key) => this.#ask(rows.get(key)),
      getAll: (_: null, count: number) =>
        this.#ask(
          sorted(this.#store)
            .slice(0, count)
            .map(([, row]) => row),
        ),
      put: (row: unknown, key?: Key) => this.#ask(this.#put(row, key)),
      add: (row: unknown) => this.#ask(this.#put(row)),
      count: () => this.#ask(rows.size),
      delete: (which: Key | UpTo) => this.#ask(this.#delete(which)),
      openCursor: () => this.#walk(),
    }
  }

  #ask(result: unknown): Request {
    const request: Request = { result }
    this.#requests.push(request)
    return request
  }

  #answer(): void {
    for (let next = this.#requests.shift(); next !== undefined; next = this.#requests.shift())
      next.onsuccess?.()
    this.oncomplete()
  }

  #put(row: unknown, key?: Key): undefined {
    const { rows, options } = this.#store
    if (options.keyPath === undefined) rows.set(key ?? '', structuredClone(row))
    else if (options.autoIncrement === true) {
      this.#store.last += 1
      rows.set(this.#store.last, { ...Object(structuredClone(row)), [options.keyPath]: this.#store.last })
    } else rows.set(Object(row)[options.keyPath], structuredClone(row))
  }

  #delete(which: Key | UpTo): undefined {
    const { rows } = this.#store
    if (typeof which !== 'object') rows.delete(which)
    else for (const key of rows.keys()) if (Number(key) <= which.upTo) rows.delete(key)
  }

  #walk(): Request {
    const rest = sorted(this.#store)
    const request: Request = { result: null }
    const move = () => {
      const [row] = rest.splice(0, 1)
      const cursor = row && {
        value: row[1],
        delete: () => this.#store.rows.delete(row[0]),
        continue: move,
      }
      request.result = cursor ?? null
      this.#requests.push(request)
    }
    move()
    return request
  }
}

function sorted({ rows }: Store): [Key, unknown][] {
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1))
}
