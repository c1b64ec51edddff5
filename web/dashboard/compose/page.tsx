import { Page } from '../kit/page.tsx'

export function ComposePage() {
  return <Page title="Compose">{null}</Page>
}
