import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import type { Message, VirtualDevice } from '../../../client/api/virtual-devices.ts'
import { Icon } from '../icon.tsx'
import { useWrite } from '../queries.ts'
import { useLanguage, useTexts } from '../texts.tsx'
import styles from './drawn-device.module.css'
import { DEVICE_TEXTS } from './texts.ts'

type DrawnDeviceProps = {
  readonly device: VirtualDevice
  /** How many of the newest messages fit. */
  readonly shown?: number
  /** `low`: as high as its messages need, for a narrow place. */
  readonly height?: 'full' | 'low'
}

/** A phone with its lock screen, or a browser on its desktop, with the messages that arrived. A message can be tapped. */
export function DrawnDevice({ device, shown = 3, height = 'full' }: DrawnDeviceProps) {
  const texts = useTexts(DEVICE_TEXTS)
  const isPhone = device.platform !== 'web'
  const visible = device.messages.filter(({ state }) => state !== 'dismissed').slice(0, shown)
  return (
    <div
      className={`${isPhone ? styles.phone : styles.screen} ${styles[device.kind]} ${styles[height]}`}
      role="group"
      aria-label={device.name}
    >
      {isPhone ? <LockClock /> : <BrowserBar kind={texts.kinds[device.kind]} />}
      <ul className={styles.messages} aria-live="polite">
        {visible.map((message) => (
          <ShownMessage key={message.message_id} device={device} message={message} />
        ))}
      </ul>
      {visible.length === 0 && <p className={styles.waiting}>{texts.waiting}</p>}
    </div>
  )
}

function LockClock() {
  const { language } = useLanguage()
  const now = new Date()
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })
  const time = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', hourCycle: 'h23' })
  return (
    <div className={styles.lock} aria-hidden>
      <span>{day.format(now)}</span>
      <b>{time.format(now)}</b>
    </div>
  )
}

function BrowserBar({ kind }: { readonly kind: string }) {
  return (
    <div className={styles.bar} aria-hidden>
      <i />
      <i />
      <i />
      <span>{kind}</span>
    </div>
  )
}

type ShownMessageProps = { readonly device: VirtualDevice; readonly message: Message }

function ShownMessage({ device, message }: ShownMessageProps) {
  const texts = useTexts(DEVICE_TEXTS)
  const refreshes = ['GET /api/v1/virtual-devices'] as const
  const tap = useWrite('POST /api/v1/virtual-devices/{subscription_id}/tap', { refreshes })
  const dismiss = useWrite('POST /api/v1/virtual-devices/{subscription_id}/dismiss', { refreshes })
  const path = { subscription_id: device.subscription_id }
  const body = { message_id: message.message_id }
  const title = message.title ?? texts.noTitle
  const picture = message.hero_image_url ?? message.image_url
  if (message.is_silent) return <li className={styles.silent}>{texts.silent}</li>
  return (
    <li className={styles.message} data-state={message.state}>
      <button type="button" className={styles.tap} onClick={() => tap.mutate({ path, body })}>
        <span className="sr-only">{texts.tap(device.name)}</span>
        <span className={styles.head}>
          <b>{message.title}</b>
          <small>{message.state === 'clicked' ? texts.tapped : texts.now}</small>
        </span>
        <span className={styles.text}>{message.message}</span>
        {picture?.startsWith('https://') === true && <img src={picture} alt="" loading="lazy" />}
      </button>
      <button
        type="button"
        className={styles.dismiss}
        aria-label={texts.dismiss(title)}
        onClick={() => dismiss.mutate({ path, body })}
      >
        <Icon of={IconX} size={12} />
      </button>
      {message.buttons.length > 0 && (
        <span className={styles.buttons}>
          {message.buttons.map(({ title: label }, at) => (
            <button
              key={label}
              type="button"
              onClick={() => tap.mutate({ path, body: { ...body, button: at + 1 } })}
            >
              {label}
            </button>
          ))}
        </span>
      )}
    </li>
  )
}
