import type { TestContext } from 'node:test'
import type { PoolLimits } from '../../src/providers/pool-limits.ts'
import type { ProviderAnswer, ProviderRequest } from '../../src/providers/transport.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { FaultScript } from '../../src/sandbox/faults.ts'
import { type Provider, SandboxServer } from '../../src/sandbox/server.ts'
import { poolFor } from './support.ts'

type ServerOptions = {
  readonly limits?: Partial<PoolLimits>
  readonly streamsMax?: number
  readonly protocols?: Provider['protocols']
}

/** A provider that takes everything and remembers what it took, by path. */
export async function openServer(t: TestContext, options: ServerOptions = {}) {
  const { limits = {}, streamsMax = 1000, protocols = ['h2'] } = options
  const taken: string[] = []
  const faults = new FaultScript()
  const provider: Provider = {
    settings: { streamsMax, headerBytesMax: 8000 },
    protocols,
    faults,
    addressOf: (call) => call.path,
    answer: (call) => {
      taken.push(call.path)
      return { status: 200, headers: {}, body: `took ${call.bytes}` }
    },
  }
  const certificate = makeCertificate(Date.now())
  const server = new SandboxServer(provider, certificate)
  await server.listen(0)
  const pool = poolFor([server.origin], certificate.cert, limits)
  t.after(async () => {
    await server.close()
    await pool.close()
  })
  const send = async (path: string): Promise<ProviderAnswer> => pool.send(requestFor(server.origin, path))
  const sendMany = async (howMany: number): Promise<readonly ProviderAnswer[]> =>
    Promise.all(Array.from({ length: howMany }, async (_, index) => send(`/${index}`)))
  return { server, pool, faults, taken, send, sendMany, certificate: certificate.cert }
}

export function requestFor(origin: string, path: string): ProviderRequest {
  return { route: { origin, partition: '' }, path, headers: { 'x-test': 'yes' }, body: 'body' }
}
