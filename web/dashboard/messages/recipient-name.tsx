import { addressOf, Link } from '../kit/address.tsx'
import styles from './message-page.module.css'

type RecipientNameProps = {
  readonly userId: string | null
  readonly device: string | null
  /** The message that the person's page explains. */
  readonly why: string
  /** The words for a device without a person, and for a device that is gone. */
  readonly nobody: string
  readonly gone: string
}

/** The part of a device's id that tells devices apart on one page. */
const DEVICE_CHARS = 12

/** A recipient in a list: the person, with a way to their page, or else the beginning of the device's id. */
export function RecipientName({ userId, device, why, nobody, gone }: RecipientNameProps) {
  if (userId !== null) {
    return (
      <span className={styles.person}>
        <Link to={addressOf(`/people/${encodeURIComponent(userId)}`, { why })}>{userId}</Link>
      </span>
    )
  }
  return (
    <span className={`quiet ${styles.person}`}>
      {device === null ? gone : nobody}
      {device !== null && <span className={styles.id}>{device.slice(0, DEVICE_CHARS)}</span>}
    </span>
  )
}
