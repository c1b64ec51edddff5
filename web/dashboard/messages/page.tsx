import { Page } from '../kit/page.tsx'

export function MessagesPage() {
  return <Page title="Messages">{null}</Page>
}
