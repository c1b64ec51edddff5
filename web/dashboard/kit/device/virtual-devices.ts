import { useEffect } from 'react'
import type { VirtualDevice } from '../../../client/api/virtual-devices.ts'
import { useLive } from '../live.ts'
import { useMay } from '../member.ts'
import { QUERIES, readKey, useRead } from '../queries.ts'

const LIST = 'GET /api/v1/virtual-devices'

/** Whether this Beckon has a sandbox, as the page was told, and the reader's role shows its devices. */
export function useHasVirtualDevices(): boolean {
  const isAllowed = useMay('push:read')
  return isAllowed && document.querySelector('meta[name=beckon-sandbox]') !== null
}

/** The virtual devices of the brand; undefined while they are on their way. */
export function useVirtualDevices(): readonly VirtualDevice[] | undefined {
  const { data } = useRead(LIST, {}, { isEnabled: useHasVirtualDevices() })
  return data?.virtual_devices
}

/** The same with every message as it arrives. */
export function useLiveVirtualDevices(): readonly VirtualDevice[] | undefined {
  const live = useLive(useHasVirtualDevices() ? 'virtual_devices' : null)
  useEffect(() => {
    const found: VirtualDevice[] | null | undefined = Object(live?.data)['virtual_devices']
    if (!Array.isArray(found)) return
    QUERIES.setQueryData(readKey(LIST, {}), (before: object | undefined) => ({
      ...before,
      virtual_devices: found,
    }))
  }, [live])
  return useVirtualDevices()
}

/** Whether the devices to draw are known, or cannot be. */
export function useIsShelfKnown(): boolean {
  const has = useHasVirtualDevices()
  return !useRead(LIST, {}, { isEnabled: has }).isLoading
}
