import { Empty } from '../kit/empty.tsx'
import type { Me } from '../kit/member.ts'
import { useTexts } from '../kit/texts.tsx'
import { SHELL_TEXTS } from './texts.ts'

/** For a member who was removed from the last brand while the account stayed. */
export function NoBrand({ me }: { readonly me: Me }) {
  const { noBrand } = useTexts(SHELL_TEXTS)
  return (
    <main>
      <Empty title={noBrand.title} text={`${noBrand.text} (${me.email})`} />
    </main>
  )
}
