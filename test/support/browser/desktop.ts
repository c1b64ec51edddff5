import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createClient, type SessionBus } from '@homebridge/dbus-native'

/** A notification as the desktop was asked to show it. */
export type ShownNotification = {
  readonly id: number
  readonly title: string
  readonly body: string
  /** What can be clicked: labels by key. `default` is the notification itself. */
  readonly actions: ReadonlyMap<string, string>
}

export type Desktop = {
  /** What programs need in their environment to find it. */
  readonly busAddress: string
  /** Everything that was ever shown, in its order; one that took another's place has its id. */
  readonly shown: readonly ShownNotification[]
  /** What stands there now, by id. */
  readonly standing: ReadonlyMap<number, ShownNotification>
  /** Clicks what bears this label, as a person with a mouse would. */
  readonly click: (notification: ShownNotification, label: string) => void
  /** Clicks the notification itself. */
  readonly clickBody: (notification: ShownNotification) => void
  readonly dismiss: (notification: ShownNotification) => void
  readonly close: () => Promise<void>
}

const NAME = 'org.freedesktop.Notifications'
const PATH = '/org/freedesktop/Notifications'
const CLOSED = { dismissed: 2, byProgram: 3 } as const

/** A session bus of our own with a notification daemon on it (freedesktop.org, Desktop Notifications 1.2). */
export async function startDesktop(): Promise<Desktop> {
  const { busAddress, stop } = await startBus()
  const bus = createClient({ busAddress })
  // The bus goes when the test is over.
  bus.connection.on('error', () => undefined)
  const shown: ShownNotification[] = []
  const standing = new Map<number, ShownNotification>()
  const remove = (id: number, reason: number): void => {
    standing.delete(id)
    bus.sendSignal(PATH, NAME, 'NotificationClosed', 'uu', [id, reason])
  }
  exportNotifications(bus, {
    show: (notification) => {
      shown.push(notification)
      standing.set(notification.id, notification)
    },
    remove: (id) => remove(id, CLOSED.byProgram),
  })
  await claimName(bus)
  const invoke = ({ id }: ShownNotification, key: string): void =>
    bus.sendSignal(PATH, NAME, 'ActionInvoked', 'us', [id, key])
  return {
    busAddress,
    shown,
    standing,
    click: (notification, label) => invoke(notification, keyOf(notification, label)),
    clickBody: (notification) => invoke(notification, 'default'),
    dismiss: ({ id }) => remove(id, CLOSED.dismissed),
    close: async () => {
      bus.connection.stream.end()
      await stop()
    },
  }
}

async function startBus(): Promise<{ readonly busAddress: string; readonly stop: () => Promise<void> }> {
  const daemon = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(daemon, 'close')
  const [busAddress] = await once(createInterface(daemon.stdout), 'line')
  const stop = async (): Promise<void> => {
    daemon.kill()
    await ended
  }
  return { busAddress: String(busAddress), stop }
}

type Screen = {
  readonly show: (notification: ShownNotification) => void
  readonly remove: (id: number) => void
}

function exportNotifications(bus: SessionBus, screen: Screen): void {
  let last = 0
  const methods = {
    GetCapabilities: () => ['actions', 'body', 'body-images', 'icon-static', 'persistence'],
    GetServerInformation: () => ['test', 'beckon', '1', '1.2'],
    Notify: (...[, replaces, , title, body, actions]: NotifyArguments) => {
      const id = replaces === 0 ? ++last : replaces
      screen.show({ id, title, body, actions: pairs(actions) })
      return id
    },
    CloseNotification: (id: number) => screen.remove(id),
  }
  bus.exportInterface(methods, PATH, {
    name: NAME,
    methods: {
      GetCapabilities: ['', 'as'],
      GetServerInformation: ['', 'ssss'],
      Notify: ['susssasa{sv}i', 'u'],
      CloseNotification: ['u', ''],
    },
    signals: { ActionInvoked: ['us'], NotificationClosed: ['uu'] },
  })
}

type NotifyArguments = readonly [
  program: string,
  replaces: number,
  icon: string,
  title: string,
  body: string,
  actions: readonly string[],
]

/** Keys and labels come in turn. */
function pairs(flat: readonly string[]): ReadonlyMap<string, string> {
  return new Map(flat.flatMap((key, at) => (at % 2 === 0 ? [[key, flat[at + 1] ?? ''] as const] : [])))
}

function keyOf({ actions }: ShownNotification, label: string): string {
  for (const [key, text] of actions) if (text === label) return key
  throw new Error(`there is no "${label}" to click, only ${[...actions.values()].join(', ')}`)
}

async function claimName(bus: SessionBus): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  bus.requestName(NAME, 0, (error) => (error === null ? resolve() : reject(error)))
  return promise
}
