import { availableParallelism } from 'node:os'
import { isPublicAddress } from '../domain/values/public-address.ts'
import { Http2Pool } from '../providers/http2-pool.ts'
import type { PoolLimits } from '../providers/pool-limits.ts'
import type { ProxyOptions } from '../providers/proxy-tunnel.ts'
import { trustingContext } from '../providers/secure-socket.ts'
import { TokenCache } from '../providers/token-cache.ts'
import type { WebPushDeps } from '../providers/webpush/client.ts'
import { EncryptPool } from '../providers/webpush/encrypt-pool.ts'
import { hostOf, systemResolve } from '../runtime/address-guard.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Sealer } from '../runtime/secrets/sealed.ts'
import type { Db } from '../store/db.ts'
import { loadToken, saveToken } from '../store/push/provider-tokens.ts'

type NetOptions = {
  readonly db: Db
  readonly sealer: Sealer
  readonly clock: Clock
  readonly limits: PoolLimits
  /** The hosts that the settings name. They may have private addresses; hosts of subscriptions may not. */
  readonly hosts: readonly string[]
  readonly certificates: readonly string[]
  readonly proxy: ProxyOptions | null
}

/** The connections of one process to the providers, and the tokens that all processes share. */
export class ProviderNet implements WebPushDeps {
  readonly transport: Http2Pool
  readonly tokens: TokenCache
  readonly clock: Clock
  readonly #allowed: Set<string>
  readonly #trust = new Map<string, string>()
  #encryptor: EncryptPool | null = null

  constructor({ db, sealer, clock, limits, hosts, certificates, proxy }: NetOptions) {
    this.clock = clock
    this.#allowed = new Set(hosts)
    this.transport = new Http2Pool({
      limits,
      guard: { allowed: this.#allowed, isPublic: isPublicAddress, resolve: systemResolve },
      trust: this.#trust,
      context: trustingContext(certificates),
      proxy,
    })
    const store = {
      get: async (name: string) => loadToken(db, sealer, name),
      put: async (name: string, token: Parameters<TokenCache['renew']>[1], replaced: string | null) =>
        saveToken(db, sealer, { name, token, replaced }),
    }
    this.tokens = new TokenCache(store, clock)
  }

  /** Allows an origin on this machine, and trusts it by this certificate only. */
  trust(origin: string, certificate: string): void {
    const { host, port } = hostOf(origin)
    this.#allowed.add(`${host}:${port}`)
    this.#trust.set(origin, certificate)
  }

  /** The threads are started for the first web push. */
  get encryptor(): EncryptPool {
    this.#encryptor ??= new EncryptPool(ENCRYPT_THREADS)
    return this.#encryptor
  }

  async close(): Promise<void> {
    await this.transport.close()
    await this.#encryptor?.close()
  }
}

/** Encryption is most of the cost of a web push. Half of the cores are left to PostgreSQL and the API. */
const ENCRYPT_THREADS = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))
