import { Page } from '../kit/page.tsx'

export function PersonPage() {
  return <Page title="Person">{null}</Page>
}
