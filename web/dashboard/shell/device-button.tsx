import IconDevices from '@tabler/icons-react/dist/esm/icons/IconDevices.mjs'
import { Suspense, useState } from 'react'
import { DEVICE_TEXTS } from '../kit/device/texts.ts'
import { useHasVirtualDevices, useVirtualDevices } from '../kit/device/virtual-devices.ts'
import { Icon } from '../kit/icon.tsx'
import { lazyPiece } from '../kit/piece.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './rail.module.css'

const DeviceDrawer = lazyPiece(async () => (await import('./device-drawer.tsx')).DeviceDrawer)

/** Opens the drawer with the virtual devices over any page. Hidden without a sandbox. */
export function DeviceButton() {
  const hasDevices = useHasVirtualDevices()
  return hasDevices ? <CountedButton /> : null
}

function CountedButton() {
  const { title } = useTexts(DEVICE_TEXTS)
  const devices = useVirtualDevices()
  const [isOpen, setOpen] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.link}
        title={title}
        aria-haspopup="dialog"
        onClick={() => {
          setWasOpen(true)
          setOpen(true)
        }}
      >
        <Icon of={IconDevices} />
        <span className={styles.word}>{title}</span>
        <span className={styles.count}>{devices === undefined ? '' : devices.length}</span>
      </button>
      {wasOpen && (
        <Suspense fallback={null}>
          <DeviceDrawer isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
