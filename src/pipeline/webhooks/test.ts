import { WEBHOOK_TEST_TYPE } from '../../rules/webhooks.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { EndpointRef } from '../../store/webhooks/endpoints.ts'
import { type Attempt, postMessages, type WebhookDeps } from './post.ts'

/** Calls an endpoint now with an event that tells nothing. Nothing is stored, and nothing held against the endpoint. */
export async function testWebhook(deps: WebhookDeps, ref: EndpointRef): Promise<Attempt | null> {
  const at = deps.clock.now()
  const message = { id: newId(), type: WEBHOOK_TEST_TYPE, at, data: { message: 'It works.' } }
  const posted = await postMessages(deps, ref, [message], new AbortController().signal)
  return posted?.attempt ?? null
}
