import { Page } from '../kit/page.tsx'

export function JourneysPage() {
  return <Page title="Journeys">{null}</Page>
}
