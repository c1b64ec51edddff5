/** A server in a process of its own, whose memory can be measured. */
import { keyHeaders, startServer } from '../support/server.ts'

const server = await startServer()
process.send?.({ port: server.port, headers: keyHeaders(await server.brand()) })
process.once('message', () => {
  void server.close().then(() => process.exit())
})
