import { Page } from '../kit/page.tsx'

export function SegmentPage() {
  return <Page title="Segment">{null}</Page>
}
