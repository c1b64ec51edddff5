import { Page } from '../kit/page.tsx'

export function SegmentsPage() {
  return <Page title="Segments">{null}</Page>
}
