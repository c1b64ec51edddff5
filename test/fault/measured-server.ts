/** A server in a process of its own, whose memory can be measured. */
import { keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const brand = await server.brand()
const { port, url } = server
process.send?.({ port, url, brandId: brand.brandId, headers: keyHeaders(brand) })
process.once('message', () => {
  void server.close().then(() => process.exit())
})
