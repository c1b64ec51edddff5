import { Page } from '../kit/page.tsx'

export function DevicesPage() {
  return <Page title="Devices">{null}</Page>
}
