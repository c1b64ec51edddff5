import type { Fault } from '../../domain/fault.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Registration } from '../../domain/subscriptions/subscription.ts'
import {
  type ArrivedMessage,
  type MessageReceipts,
  messageReceipts,
  type NamedMessage,
  shownMessages,
} from '../../domain/subscriptions/virtual-message.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { ReceiptKind } from '../../rules/push.ts'
import { VIRTUAL_LIMITS } from '../../rules/virtual-devices.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ReceiptSigner } from '../../runtime/secrets/receipt-token.ts'
import { lockOfBrand } from '../../store/brand/lock.ts'
import type { Database, Db } from '../../store/db.ts'
import { saveReceipts } from '../../store/push/receipts.ts'
import { saveRegistrations } from '../../store/subscriptions/registrations.ts'
import {
  listVirtualDevices,
  loadVirtualReceipts,
  type VirtualDevice,
  type VirtualReceipt,
} from '../../store/subscriptions/virtual-devices.ts'

export type VirtualDeps = {
  readonly database: Pick<Database, 'asBrand'>
  readonly receipts: ReceiptSigner
  readonly sandbox: {
    readonly messagesOf: (
      devices: readonly { readonly platform: Platform; readonly address: string }[],
    ) => Promise<readonly (readonly ArrivedMessage[])[] | null>
  }
}

/** A message on a virtual device. */
export type VirtualMessage = NamedMessage & MessageReceipts

/** A virtual device with the messages that it shows, newest first. */
export type VirtualScreen = { readonly device: VirtualDevice; readonly messages: readonly VirtualMessage[] }

/**
 * The virtual devices of a brand with their messages, or the one with a public id; null on a machine without a sandbox.
 * The messages are those of the sandbox, so that every API process gives the same ones.
 */
export async function loadVirtualDevices(
  { database, receipts, sandbox }: VirtualDeps,
  brandId: number,
  subscriptionId: string | null = null,
): Promise<readonly VirtualScreen[] | null> {
  const devices = await database.asBrand(brandId, async (tx) =>
    listVirtualDevices(tx, brandId, subscriptionId),
  )
  const arrived = await sandbox.messagesOf(devices)
  if (arrived === null) return null
  const named = devices.map((device, at) => {
    const own = { brandId, subscriptionId: device.id }
    return { device, messages: shownMessages(messagesOf(receipts, own, arrived[at] ?? [])) }
  })
  const asked = named.flatMap(({ device, messages }) =>
    messages.map(({ notificationId }) => ({ notificationId, subscriptionId: device.id })),
  )
  const stored = await database.asBrand(brandId, async (tx) => loadVirtualReceipts(tx, brandId, asked))
  const byMessage = Map.groupBy(stored, nameOf)
  return named.map(({ device, messages }) => ({
    device,
    messages: messages.map((message) => {
      const name = nameOf({ notificationId: message.notificationId, subscriptionId: device.id })
      return { ...message, ...messageReceipts(byMessage.get(name) ?? []) }
    }),
  }))
}

/** The sandbox is one for all brands; only a message whose signed receipt names the device is shown on it. */
function messagesOf(
  receipts: ReceiptSigner,
  own: { readonly brandId: number; readonly subscriptionId: bigint },
  arrived: readonly ArrivedMessage[],
): readonly NamedMessage[] {
  return arrived.flatMap((message) => {
    const { receipt, arrivedAt } = message
    const delivery = receipt === null ? null : receipts.open(receipt, arrivedAt)
    const isOwn = delivery?.brandId === own.brandId && delivery.subscriptionId === own.subscriptionId
    return isOwn ? [{ ...message, notificationId: delivery.notificationId }] : []
  })
}

function nameOf({
  notificationId,
  subscriptionId,
}: Pick<VirtualReceipt, 'notificationId' | 'subscriptionId'>): string {
  return `${notificationId} ${subscriptionId}`
}

/** Registers a virtual device, unless the brand has too many. Call it in a transaction. */
export async function saveVirtualDevice(
  tx: Db,
  { brandId, registration, now }: NewVirtualDevice,
): Promise<Result<VirtualDevice>> {
  await lockOfBrand(tx, brandId, 'count of virtual devices')
  const { devicesMax: max } = VIRTUAL_LIMITS
  const before = await listVirtualDevices(tx, brandId)
  if (before.length >= max) return reject(fault('too_many_virtual_devices', null, { max }))
  const batch = { brandId, registrations: [registration], now, source: 'device' } as const
  const [outcome] = await saveRegistrations(tx, batch)
  if (outcome?.kind === 'refused') return reject(outcome.fault)
  const made = (await listVirtualDevices(tx, brandId)).find(({ id }) => id === outcome?.id)
  if (made === undefined) throw new Error('a virtual device came to nothing')
  return accept(made)
}

export type NewVirtualDevice = {
  readonly brandId: number
  readonly registration: Registration
  readonly now: number
}

export type VirtualReport = {
  readonly brandId: number
  readonly subscriptionId: string
  readonly messageId: string
  readonly kinds: readonly { readonly kind: ReceiptKind; readonly button: number | null }[]
}

/** Reports receipts of a message on a virtual device, as an app or the service worker would. */
export async function reportVirtual(
  deps: VirtualDeps & { readonly clock: Clock },
  { brandId, subscriptionId, messageId, kinds }: VirtualReport,
): Promise<Result<{ readonly counted: number; readonly message: VirtualMessage }>> {
  const found = await findMessage(deps, { brandId, subscriptionId, messageId })
  if (!found.ok) return found
  const { device, message } = found.value
  const { notificationId } = message
  const receipts = kinds.map((one) => ({ notificationId, subscriptionId: device.id, ...one }))
  const now = deps.clock.now()
  const counted = await deps.database.asBrand(brandId, async (tx) =>
    saveReceipts(tx, { brandId, receipts, now }),
  )
  const after = await findMessage(deps, { brandId, subscriptionId, messageId })
  return after.ok ? accept({ counted, message: after.value.message }) : after
}

type Found = { readonly device: VirtualDevice; readonly message: VirtualMessage }

async function findMessage(
  deps: VirtualDeps,
  { brandId, subscriptionId, messageId }: Omit<VirtualReport, 'kinds'>,
): Promise<Result<Found>> {
  const screens = await loadVirtualDevices(deps, brandId, subscriptionId)
  if (screens === null) return refused('sandbox_missing')
  const [screen] = screens
  if (screen === undefined) return refused('virtual_device_not_found')
  const message = screen.messages.find(({ notificationId }) => notificationId === messageId)
  return message === undefined
    ? refused('virtual_message_not_found')
    : accept({ device: screen.device, message })
}

function refused(code: Fault['code']): Result<never> {
  return reject(fault(code))
}
