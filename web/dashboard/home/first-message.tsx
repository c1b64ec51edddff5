import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { VirtualDevice } from '../../client/api/virtual-devices.ts'
import { chosenBrand } from '../kit/brand.ts'
import { call } from '../kit/call.ts'
import { DeviceShelf } from '../kit/device/device-shelf.tsx'
import { useLiveVirtualDevices } from '../kit/device/virtual-devices.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMe } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useWish } from '../kit/wish.ts'
import styles from './first-message.module.css'
import { HOME_TEXTS } from './texts.ts'

type FirstMessageProps = {
  /** The notifications that were sent from here. */
  readonly ids: readonly string[]
  readonly onSent: (ids: readonly string[]) => void
}

/** A field, a button, and the devices on which the message appears. */
export function FirstMessage({ ids, onSent }: FirstMessageProps) {
  const { first } = useTexts(HOME_TEXTS)
  const devices = useLiveVirtualDevices()
  const shown = devices?.slice(0, DEVICES_SHOWN)
  const [message, setMessage] = useState<string>(first.sample)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const send = useSend((made) => onSent([...ids, ...made]))
  const canSend = shown !== undefined && shown.length > 0 && message.trim() !== ''
  return (
    <div className={styles.first}>
      <p className="quiet small">{first.text}</p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (canSend) send.mutate({ devices: shown, message })
        }}
      >
        <TextInput
          ref={field}
          className={styles.field ?? ''}
          aria-label={first.field}
          value={message}
          maxLength={130}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
        />
        <Button type="submit" variant="filled" loading={send.isPending} disabled={!canSend}>
          {first.send}
        </Button>
      </form>
      {send.error !== null && <FailureNote error={send.error} />}
      {ids.length > 0 && <Counts devices={shown ?? []} ids={ids} />}
      <DeviceShelf devices={shown} />
    </div>
  )
}

const DEVICES_SHOWN = 3

type Wish = { readonly devices: readonly VirtualDevice[]; readonly message: string }

/** One message to each device, so that nobody else gets it. */
function useSend(onSent: (ids: readonly string[]) => void) {
  const { data } = useMe()
  const title = data?.member.brands.find(({ brand_id: id }) => id === chosenBrand())?.name ?? 'Beckon'
  const wish = useWish<readonly string[]>()
  return useMutation({
    mutationFn: async ({ devices, message }: Wish) => {
      const ids = devices.map(({ subscription_id: id }) => id)
      return wish({ ids, message }, async (key) =>
        Promise.all(
          devices.map(async ({ platform, subscription_id }) => {
            const body = { subscription_id, title, message }
            const options = { idempotencyKey: `${key}:${subscription_id}` }
            return (await call(SENDS[platform], { body }, options)).notification.id
          }),
        ),
      )
    },
    onSuccess: onSent,
  })
}

const SENDS = {
  android: 'POST /api/v1/android/send',
  ios: 'POST /api/v1/ios/send',
  web: 'POST /api/v1/web/send',
} as const

type CountsProps = { readonly devices: readonly VirtualDevice[]; readonly ids: readonly string[] }

function Counts({ devices, ids }: CountsProps) {
  const { first } = useTexts(HOME_TEXTS)
  const format = useFormat()
  const messages = devices.flatMap((device) =>
    device.messages.filter(({ message_id: id }) => ids.includes(id)),
  )
  const seen = messages.filter(({ state }) => state !== 'arrived').length
  const taps = messages.filter(({ state }) => state === 'clicked').length
  return (
    <p className={styles.counts} aria-live="polite">
      <b className="num">{first.counts(format.count(ids.length), format.count(seen), format.count(taps))}</b>{' '}
      <span className="quiet">{taps === 0 ? first.tapOne : first.tapped}</span>
    </p>
  )
}
