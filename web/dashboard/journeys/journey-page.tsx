import { Page } from '../kit/page.tsx'

export function JourneyPage() {
  return <Page title="Journey">{null}</Page>
}
