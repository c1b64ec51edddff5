import type { ProviderRoute, Transport } from './transport.ts'

/**
 * A transport whose connections carry the messages of one owner alone. A connection has few streams and one send window
 * for all of them, and a reset ends every request on it: shared connections would let a hanging channel stop the others.
 */
export function ownConnections(transport: Transport, owner: string): Transport {
  const own = ({ origin, partition }: ProviderRoute): ProviderRoute => ({
    origin,
    partition: `${owner} ${partition}`,
  })
  return {
    send: async (request) => transport.send({ ...request, route: own(request.route) }),
    retire: (route) => transport.retire(own(route)),
    close: async () => transport.close(),
  }
}
