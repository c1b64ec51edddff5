import { Button } from '@mantine/core'
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import { DEMO_USER } from '../../../../src/rules/brand.ts'
import { DEMO_VIRTUAL_KINDS } from '../../../../src/rules/virtual-devices.ts'
import type { VirtualDevice } from '../../../client/api/virtual-devices.ts'
import { Link } from '../address.tsx'
import { Empty } from '../empty.tsx'
import { FailureNote } from '../failure-note.tsx'
import { Icon } from '../icon.tsx'
import { KIT_TEXTS } from '../kit-texts.ts'
import { useMay } from '../member.ts'
import { useWrite } from '../queries.ts'
import { Lines } from '../skeleton.tsx'
import { useTexts } from '../texts.tsx'
import { showUndo } from '../undo-toast.tsx'
import styles from './device-shelf.module.css'
import { DrawnDevice } from './drawn-device.tsx'
import { DEVICE_TEXTS } from './texts.ts'

type DeviceShelfProps = {
  readonly devices: readonly VirtualDevice[] | undefined
  readonly height?: 'full' | 'low'
}

/** The drawn devices beside each other, each with its name, its person and a way to remove it. */
export function DeviceShelf({ devices, height = 'full' }: DeviceShelfProps) {
  if (devices === undefined) {
    return (
      <div className={height === 'full' ? styles.waiting : undefined}>
        <Lines count={4} />
      </div>
    )
  }
  if (devices.length === 0) return <NoDevices />
  return (
    <ul className={styles.shelf}>
      {devices.map((device) => (
        <li key={device.subscription_id} className={styles.place}>
          <DrawnDevice device={device} height={height} />
          <DeviceLabel device={device} />
        </li>
      ))}
    </ul>
  )
}

function DeviceLabel({ device }: { readonly device: VirtualDevice }) {
  const texts = useTexts(DEVICE_TEXTS)
  const { undo } = useTexts(KIT_TEXTS)
  const { subscription_id, kind, name, user_id: userId } = device
  const again = useWrite('POST /api/v1/virtual-devices', { refreshes: CHANGED })
  const body = { kind, name, ...(userId === null ? {} : { user_id: userId }) }
  const remove = useWrite('DELETE /api/v1/virtual-devices/{subscription_id}', {
    refreshes: CHANGED,
    onDone: () => showUndo({ done: texts.removed(name), undo, onUndo: () => again.mutate({ body }) }),
  })
  const mayRemove = useMay('subscriptions')
  return (
    <div className={styles.label}>
      <b className={styles.name}>{name}</b>
      <span className="quiet">
        {userId === null ? texts.nobody : <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>}
      </span>
      {mayRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={texts.remove(name)}
          title={texts.remove(name)}
          onClick={() => remove.mutate({ path: { subscription_id } })}
        >
          <Icon of={IconTrash} size={14} />
        </button>
      )}
      {remove.error !== null && <FailureNote error={remove.error} />}
    </div>
  )
}

const CHANGED = ['GET /api/v1/virtual-devices', 'GET /api/v1/subscriptions'] as const

function NoDevices() {
  const texts = useTexts(DEVICE_TEXTS)
  const { makeThree, isMaking, error } = useThreeDevices()
  const mayAdd = useMay('subscriptions')
  return (
    <Empty title={texts.none.title} text={texts.none.text}>
      {mayAdd && (
        <Button onClick={makeThree} loading={isMaking}>
          {texts.none.make}
        </Button>
      )}
      {error !== null && <FailureNote error={error} />}
    </Empty>
  )
}

/** Makes the three devices that the first start makes for the demo brand. */
function useThreeDevices() {
  const { mutate, isPending, error } = useWrite('POST /api/v1/virtual-devices', { refreshes: CHANGED })
  const makeThree = (): void => {
    for (const kind of DEMO_VIRTUAL_KINDS) mutate({ body: { kind, user_id: DEMO_USER } })
  }
  return { makeThree, isMaking: isPending, error }
}
