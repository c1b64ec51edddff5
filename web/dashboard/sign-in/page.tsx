import { Page } from '../kit/page.tsx'

export function SignInPage() {
  return <Page title="Sign in">{null}</Page>
}
