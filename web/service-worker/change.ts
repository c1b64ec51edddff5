import { fact, setFact } from '../shared/facts.ts'
import { addEntry } from '../shared/outbox.ts'
import { inTurn } from '../shared/push-turn.ts'
import { report } from './report.ts'

/** The browser replaced or lost its push subscription: sends the new one to the server at once. */
export async function changeSubscription(
  registration: ServiceWorkerRegistration,
  event: Event,
): Promise<void> {
  const given: unknown = Reflect.get(event, 'newSubscription')
  await inTurn(async () => replace(registration, given))
  await report()
}

async function replace(registration: ServiceWorkerRegistration, given: unknown): Promise<void> {
  const previous = await fact('endpoint')
  const key = (await fact('pushKey'))?.value
  if (previous === undefined || key === undefined) return
  const subscription =
    given instanceof PushSubscription
      ? given
      : await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint } = subscription
  await setFact('endpoint', endpoint)
  const command = {
    do: 'subscribe',
    subscription: subscription.toJSON(),
    previous: previous === endpoint ? undefined : previous,
  }
  await addEntry({ id: crypto.randomUUID(), at: Date.now(), command })
}
