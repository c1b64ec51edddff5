import { Page } from '../kit/page.tsx'

export function EventsPage() {
  return <Page title="Events">{null}</Page>
}
