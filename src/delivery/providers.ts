import type { Sealer } from '../runtime/secrets/sealed.ts'
import type { Database } from '../store/db.ts'
import { Channels } from './channels.ts'
import { DatabaseClock } from './database-clock.ts'
import { channelOpener } from './open-channel.ts'
import { ProviderNet } from './provider-net.ts'
import { allowedHosts, type ProviderSettings, placesOf } from './provider-places.ts'
import type { FindSandbox } from './sandbox/places.ts'

export type ProvidersOptions = {
  readonly database: Database
  readonly sealer: Sealer
  readonly settings: ProviderSettings
  readonly findSandbox: FindSandbox
}

/** All that one process needs to reach the providers of every brand. */
export type Providers = {
  readonly clock: DatabaseClock
  readonly channels: Channels
  readonly close: () => Promise<void>
}

/** Nothing is connected before the first message. */
export function openProviders({ database, sealer, settings, findSandbox }: ProvidersOptions): Providers {
  const clock = new DatabaseClock(database)
  const net = new ProviderNet({ db: database, sealer, clock, hosts: allowedHosts(settings) })
  const places = placesOf(settings)
  const open = channelOpener({ db: database, sealer, net, places, findSandbox })
  return { clock, channels: new Channels({ db: database, open }), close: async () => net.close() }
}
