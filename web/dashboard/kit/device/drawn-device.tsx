import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import type { CSSProperties } from 'react'
import { PREVIEW_SYSTEMS } from '../../../../src/rules/previews.ts'
import type { Message, VirtualDevice } from '../../../client/api/virtual-devices.ts'
import { chosenBrand } from '../brand.ts'
import { dateFormat } from '../formats.ts'
import { Icon } from '../icon.tsx'
import { useMe } from '../member.ts'
import { Note, type Shown } from '../preview/note.tsx'
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
  const day = dateFormat(language, { weekday: 'long', day: 'numeric', month: 'long' })
  const time = dateFormat(language, { hour: 'numeric', minute: '2-digit', hourCycle: 'h23' })
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

/** A message as the system of the device draws it and cuts it off. The whole of it is a button, as on the device. */
function ShownMessage({ device, message }: ShownMessageProps) {
  const texts = useTexts(DEVICE_TEXTS)
  const app = useBrandName()
  const refreshes = ['GET /api/v1/virtual-devices'] as const
  const tap = useWrite('POST /api/v1/virtual-devices/{subscription_id}/tap', { refreshes })
  const dismiss = useWrite('POST /api/v1/virtual-devices/{subscription_id}/dismiss', { refreshes })
  const path = { subscription_id: device.subscription_id }
  const body = { message_id: message.message_id }
  const title = message.title ?? texts.noTitle
  const { system, surface } = LOOKS[device.kind]
  if (message.is_silent) return <li className={styles.silent}>{texts.silent}</li>
  return (
    <li className={styles.message} data-state={message.state} style={sizesOf(device)}>
      <Note {...{ system, surface, app }} site={location.host} shown={shownOf(message)} />
      <button
        type="button"
        className={styles.tap}
        aria-label={`${texts.tap(device.name)} ${title}`}
        onClick={() => tap.mutate({ path, body })}
      />
      <button
        type="button"
        className={styles.dismiss}
        aria-label={texts.dismiss(title)}
        onClick={() => dismiss.mutate({ path, body })}
      >
        <Icon of={IconX} size={12} />
      </button>
      {message.state === 'clicked' && <small className={styles.tapped}>{texts.tapped}</small>}
      {surface.buttons > 0 && message.buttons.length > 0 && (
        <span className={styles.buttons}>
          {message.buttons.slice(0, surface.buttons).map(({ title: label }, at) => (
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

/** Where each kind of device shows a message: phones on their lock screen, browsers on the desktop around them. */
const LOOKS = {
  iphone: { system: 'iphone', surface: PREVIEW_SYSTEMS.iphone.surfaces.lock },
  android: { system: 'android', surface: PREVIEW_SYSTEMS.android.surfaces.collapsed },
  chrome: { system: 'windows', surface: PREVIEW_SYSTEMS.windows.surfaces.toast },
  firefox: { system: 'linux', surface: PREVIEW_SYSTEMS.linux.surfaces.banner },
} as const

/** The room for a message on the drawn screen, in pixels. */
const ROOM = { phone: 276, browser: 300 } as const

/** The message is scaled as a whole, so that it wraps where the device does. */
function sizesOf({ kind, platform }: VirtualDevice): CSSProperties & Record<string, string> {
  const { width, fontSize } = LOOKS[kind].surface
  const room = platform === 'web' ? ROOM.browser : ROOM.phone
  const scale = Math.min(1, room / width)
  return { '--note-width': `${width * scale}px`, '--note-font': `${fontSize * scale}px` }
}

function shownOf({ title, message, image_url: image, hero_image_url: hero }: Message): Shown {
  return {
    title: title ?? '',
    message: message ?? '',
    image_url: image,
    hero_image_url: hero,
    // The device draws its buttons itself, because they can be tapped.
    buttons: [],
  }
}

function useBrandName(): string {
  const { data } = useMe()
  return data?.member.brands.find(({ brand_id: id }) => id === chosenBrand())?.name ?? ''
}
