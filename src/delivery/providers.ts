import { POOL_LIMITS, type PoolLimits } from '../providers/pool-limits.ts'
import type { DatabaseClock } from '../runtime/database-clock.ts'
import type { Sealer } from '../runtime/secrets/sealed.ts'
import type { Database } from '../store/db.ts'
import { Channels } from './channels.ts'
import { channelOpener } from './open-channel.ts'
import { ProviderNet } from './provider-net.ts'
import { allowedHosts, namedHosts, type ProviderSettings, providerUrls } from './provider-urls.ts'
import type { FindSandbox } from './sandbox/file.ts'

export type ProvidersOptions = {
  readonly database: Database
  readonly clock: DatabaseClock
  readonly sealer: Sealer
  readonly settings: ProviderSettings
  readonly findSandbox: FindSandbox
  /** Tests bring their own times. */
  readonly poolLimits?: Partial<PoolLimits>
}

/** The objects through which one process reaches the providers of every brand. */
export type Providers = {
  readonly channels: Channels
  readonly close: () => Promise<void>
}

/** Nothing is connected before the first message. */
export function openProviders(options: ProvidersOptions): Providers {
  const { database, clock, sealer, settings, findSandbox, poolLimits = {} } = options
  const limits = { ...POOL_LIMITS, ...poolLimits }
  const { httpsProxy, providerCa: certificates } = settings
  const proxy = httpsProxy === null ? null : { ...httpsProxy, named: new Set(namedHosts(settings)) }
  const hosts = allowedHosts(settings)
  const net = new ProviderNet({ db: database, sealer, clock, limits, hosts, certificates, proxy })
  const urls = providerUrls(settings)
  const open = channelOpener({ db: database, sealer, net, urls, findSandbox })
  return { channels: new Channels({ db: database, open }), close: async () => net.close() }
}
