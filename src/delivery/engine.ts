import type { Verdict } from '../domain/verdict.ts'
import { MEASURE_PAYLOAD } from '../providers/payload-bytes.ts'
import type { Platform } from '../rules/platforms.ts'
import { newId } from '../runtime/crypto.ts'
import type { LoopHost } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { ReceiptSigner } from '../runtime/receipt-token.ts'
import type { Sealer } from '../runtime/sealed.ts'
import type { Database } from '../store/db.ts'
import { Channels } from './channels.ts'
import { DatabaseClock } from './database-clock.ts'
import { Holds } from './holds.ts'
import { channelOpener } from './open-channel.ts'
import { ProviderNet } from './provider-net.ts'
import { allowedHosts, type ProviderSettings, placesOf } from './provider-places.ts'
import type { FindSandbox } from './sandbox-places.ts'
import { runSender } from './sender.ts'

export type EngineDeps = {
  readonly database: Database
  readonly sealer: Sealer
  readonly receipts: ReceiptSigner
  readonly metrics: Metrics
  readonly settings: ProviderSettings
  readonly findSandbox: FindSandbox
}

/** Hands over what is ready until the host says stop. One for each worker process. */
export async function runEngine(deps: EngineDeps, host: LoopHost): Promise<void> {
  const { database, sealer, receipts, metrics, settings, findSandbox } = deps
  const clock = new DatabaseClock(database)
  const net = new ProviderNet({ db: database, sealer, clock, hosts: allowedHosts(settings) })
  const open = channelOpener({ db: database, sealer, net, places: placesOf(settings), findSandbox })
  const onVerdict = verdictMeter(metrics)
  const send = {
    database,
    clock,
    channels: new Channels({ db: database, open }),
    holds: new Holds(clock.now),
    receipts,
    measure: MEASURE_PAYLOAD,
    random: Math.random,
    onVerdict,
  }
  await runSender(send, host, newId())
  await net.close()
}

function verdictMeter(metrics: Metrics): (platform: Platform, verdict: Verdict) => void {
  const attempts = metrics.counter({
    name: 'beckon_attempts_total',
    help: 'Messages handed to a push provider, by what it answered.',
    labels: ['platform', 'verdict'],
  })
  return (platform, { kind }) => attempts({ platform, verdict: kind }, 1)
}
