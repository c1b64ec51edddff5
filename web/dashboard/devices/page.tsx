import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { AddDevice } from '../kit/device/add-device.tsx'
import { DeviceShelf } from '../kit/device/device-shelf.tsx'
import { DEVICE_TEXTS } from '../kit/device/texts.ts'
import {
  useHasVirtualDevices,
  useIsShelfKnown,
  useLiveVirtualDevices,
} from '../kit/device/virtual-devices.ts'
import { useMay } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { useTexts } from '../kit/texts.tsx'
import { DeviceList } from './device-list.tsx'
import styles from './page.module.css'
import { DEVICES_TEXTS } from './texts.ts'

/** The virtual devices, drawn, and the list of all devices that registered. */
export function DevicesPage() {
  const texts = useTexts(DEVICES_TEXTS)
  const hasVirtual = useHasVirtualDevices()
  const mayAdd = useMay('subscriptions')
  // How many devices are drawn decides where the list begins.
  const isShelfKnown = useIsShelfKnown()
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <CopyCurl endpoint="GET /api/v1/subscriptions" input={{}} />
          {hasVirtual && mayAdd && <AddDevice />}
        </>
      }
    >
      <Stack>
        {hasVirtual && <VirtualDevices />}
        {isShelfKnown && <DeviceList />}
      </Stack>
    </Page>
  )
}

function VirtualDevices() {
  const texts = useTexts(DEVICE_TEXTS)
  const devices = useLiveVirtualDevices()
  return (
    <Card title={texts.title}>
      <p className={styles.about}>{texts.about}</p>
      <DeviceShelf devices={devices} />
    </Card>
  )
}
