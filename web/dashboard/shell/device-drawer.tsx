import { Drawer } from '@mantine/core'
import { Link } from '../kit/address.tsx'
import { DeviceShelf } from '../kit/device/device-shelf.tsx'
import { DEVICE_TEXTS } from '../kit/device/texts.ts'
import { useLiveVirtualDevices } from '../kit/device/virtual-devices.ts'
import { useTexts } from '../kit/texts.tsx'

type DeviceDrawerProps = { readonly isOpen: boolean; readonly onClose: () => void }

export function DeviceDrawer({ isOpen, onClose }: DeviceDrawerProps) {
  const texts = useTexts(DEVICE_TEXTS)
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={texts.title}
      size={400}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <LiveShelf />
      <p>
        <Link to="/devices" className="small" onClick={onClose}>
          {texts.all}
        </Link>
      </p>
    </Drawer>
  )
}

/** The stream is open only while the drawer is. */
function LiveShelf() {
  return <DeviceShelf devices={useLiveVirtualDevices()} height="low" />
}
