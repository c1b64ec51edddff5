import { AsyncLocalStorage } from 'node:async_hooks'
import { isIP } from 'node:net'
import { type AddressGuard, BlockedAddress, hostOf } from './address-guard.ts'

/** The guard of the work that is under way; none for all other work of the process. */
const GUARDED = new AsyncLocalStorage<AddressGuard>()

/**
 * Does some work whose `fetch` reaches public addresses and allowed ones only, and follows no redirect. The sign-in
 * library uses the `fetch` of the process and takes no other. The names are looked up before each request; `fetch` looks
 * them up again, so this guard is weaker than that of a connection of our own.
 */
export async function withGuardedFetch<Value>(
  guard: AddressGuard,
  work: () => Promise<Value>,
): Promise<Value> {
  install()
  return GUARDED.run(guard, work)
}

let isInstalled = false

function install(): void {
  if (isInstalled) return
  isInstalled = true
  const plain = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const guard = GUARDED.getStore()
    if (guard === undefined) return plain(input, init)
    await check(guard, new URL(input instanceof Request ? input.url : input))
    return plain(input, { ...init, redirect: 'error' })
  }
}

async function check(guard: AddressGuard, url: URL): Promise<void> {
  const { host, port } = hostOf(url.href)
  if (guard.allowed.has(`${host}:${port}`)) return
  const addresses = isIP(host) === 0 ? await resolveAll(guard, host) : [host]
  if (!addresses.every((address) => guard.isPublic(address))) throw new BlockedAddress(host)
}

async function resolveAll({ resolve }: AddressGuard, host: string): Promise<readonly string[]> {
  const { promise, resolve: take, reject } = Promise.withResolvers<readonly string[]>()
  resolve(host, { all: true }, (error, addresses = []) => {
    if (error === null) take(addresses.map(({ address }) => address))
    else reject(error)
  })
  return promise
}
