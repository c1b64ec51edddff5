import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { openWebhookClient } from '../../src/pipeline/webhooks/client.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'

test('the scheme of a webhook may be written in any letter case', async (context) => {
  const server = createServer(makeCertificate(Date.now()), (_, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = openWebhookClient([`127.0.0.1:${port}`])
  context.after(() => client.close())
  const call = { headers: {}, body: '{}' }
  for (const scheme of ['https', 'HTTPS', 'Https']) {
    const url = `${scheme}://127.0.0.1:${port}/`
    // The certificate is nobody's, so TLS was spoken if it is refused.
    const answer = await client.post({ url, call }, new AbortController().signal)
    assert.deepEqual(answer, { kind: 'unreached', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, url)
  }
})
