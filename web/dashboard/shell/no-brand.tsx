import { lazy, Suspense } from 'react'
import { Empty } from '../kit/empty.tsx'
import type { Me } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './frame.module.css'
import { ProofDialog } from './proof-dialog.tsx'
import { SHELL_TEXTS } from './texts.ts'

const BrandsSection = lazy(async () => ({
  default: (await import('../settings/brands.tsx')).BrandsSection,
}))

/** For a member without a brand. An administrator can make one, or restore the one that was deleted last. */
export function NoBrand({ me }: { readonly me: Me }) {
  const { noBrand } = useTexts(SHELL_TEXTS)
  if (!me.administrator) {
    return (
      <main>
        <Empty title={noBrand.title} text={`${noBrand.text} (${me.email})`} />
      </main>
    )
  }
  return (
    <main className={styles.page}>
      <ProofDialog />
      <Page title={noBrand.title}>
        <Suspense fallback={<Lines count={6} />}>
          <BrandsSection />
        </Suspense>
      </Page>
    </main>
  )
}
