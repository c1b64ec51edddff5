import { Page } from '../kit/page.tsx'

export function MessagePage() {
  return <Page title="Message">{null}</Page>
}
