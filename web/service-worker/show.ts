import { within } from '../shared/database.ts'
import { type Message, readMessage } from './message.ts'
import { record } from './report.ts'

/** The data of a shown notification, for the moment it is clicked. */
export type Shown = Pick<Message, 'delivery_id' | 'receipt'> & {
  readonly url: string | null
  readonly buttonUrls: readonly (string | null)[]
}

/**
 * Shows a push, once for each delivery, even if the push service delivers it again. The push is shown first and noted
 * afterwards: if the worker dies in between, the second one replaces the first, because both have the delivery's tag.
 */
export async function show(
  registration: ServiceWorkerRegistration,
  data: PushMessageData | null,
): Promise<void> {
  const message = readMessage(parse(data))
  if (message === null) return
  const { delivery_id: id, badge } = message
  if (await wasShown(id)) {
    // A browser requires a notification for every push, so one that is still shown is shown again, silently.
    const [standing] = await registration.getNotifications({ tag: message.tag })
    if (standing !== undefined)
      await registration.showNotification(message.title, { ...optionsOf(message), silent: true })
    return
  }
  await registration.showNotification(message.title, optionsOf(message))
  if (badge !== undefined) await navigator.setAppBadge?.(badge)
  await within('shown', (store) => {
    store.put({ id, at: Date.now() })
    return undefined
  })
  await record(message, { kind: 'received', event: 'push_received' })
  await forgetOld()
}

function parse(data: PushMessageData | null): unknown {
  // A push of another sender may contain anything.
  try {
    return data?.json()
  } catch {
    return null
  }
}

/** The server sends hero image and buttons only to browsers that show them. */
function optionsOf(message: Message): NotificationOptions {
  const { buttons = [] } = message
  const shown: Shown = {
    delivery_id: message.delivery_id,
    receipt: message.receipt,
    url: message.url ?? null,
    buttonUrls: buttons.map(({ url }) => url),
  }
  const options = {
    body: message.message ?? '',
    tag: message.tag,
    data: { beckon: shown, ...message.data },
    ...(message.image_url === undefined ? {} : { icon: message.image_url }),
    ...(message.hero_image_url === undefined ? {} : { image: message.hero_image_url }),
    actions: buttons.map(({ title }, index) => ({ action: `beckon-${index + 1}`, title })),
  }
  return options
}

async function wasShown(id: string): Promise<boolean> {
  return (await within('shown', (store) => store.get(id))) !== undefined
}

/** A push service delivers nothing that is older than four weeks. */
const REMEMBERED_MS = 28 * 86_400_000

async function forgetOld(): Promise<void> {
  const oldest = Date.now() - REMEMBERED_MS
  await within('shown', (store) => {
    const walk = store.openCursor()
    walk.onsuccess = () => {
      const cursor = walk.result
      if (cursor === null) return
      if (cursor.value.at < oldest) cursor.delete()
      cursor.continue()
    }
    return undefined
  })
}
