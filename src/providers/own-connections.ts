import type { ProviderRoute, Transport } from './transport.ts'

/**
 * A transport whose connections carry the messages of one owner alone. A connection has few streams and one send window
 * for all of them, and a reset ends every request on it: shared connections would let a hanging channel stop the others.
 */
export function ownConnections(transport: Transport, owner: string): Transport {
  // A client names the same route for all its messages, and gets the same route of the owner for it.
  const routes = new WeakMap<ProviderRoute, ProviderRoute>()
  const own = (route: ProviderRoute): ProviderRoute => {
    const known = routes.get(route)
    if (known !== undefined) return known
    const made = { origin: route.origin, partition: `${owner} ${route.partition}` }
    routes.set(route, made)
    return made
  }
  return {
    post: (request, onAnswer) => transport.post({ ...request, route: own(request.route) }, onAnswer),
    send: async (request) => transport.send({ ...request, route: own(request.route) }),
    retire: (route) => transport.retire(own(route)),
    close: async () => transport.close(),
  }
}
