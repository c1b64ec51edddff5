import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { addressOf, useGo } from '../kit/address.tsx'
import { chooseBrand, chosenBrand, lacksBrand, nameBrandInAddresses, switchBrand } from '../kit/brand.ts'
import { onSignedOut } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMe } from '../kit/member.ts'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { FinderHost } from './finder-host.tsx'
import styles from './frame.module.css'
import { NoBrand } from './no-brand.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { Rail } from './rail.tsx'
import { useShortcuts } from './shortcuts.tsx'
import { SHELL_TEXTS } from './texts.ts'
import { Unclaimed } from './unclaimed.tsx'

/** The rail and the page beside it, for a member who is signed in. Anybody else is led to the sign-in and back. */
export function Frame() {
  const { data, error, refetch } = useMe()
  const address = useRouterState({ select: (state) => state.location.href })
  const go = useGo()
  useEffect(
    () =>
      onSignedOut(() => {
        // Several calls may be refused at once, the last of them when the sign-in is already on its way.
        if (!address.startsWith('/sign-in')) go(addressOf('/sign-in', { to: address }))
      }),
    [go, address],
  )
  if (error !== null && data === undefined) {
    return (
      <div className={styles.alone}>
        <FailureNote error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (data === undefined) return <div className={styles.app} />
  const { brands } = data.member
  const [first] = brands
  if (first === undefined) return <NoBrand me={data.member} />
  if (chosenBrand() === '') chooseBrand(first.brand_id)
  const isMember = brands.some(({ brand_id: id }) => id === chosenBrand())
  // The brand of the address is none of the member's, or it is no longer: its pages show nothing.
  if (!isMember) return <Elsewhere brandId={first.brand_id} />
  if (brands.length > 1) nameBrandInAddresses()
  return <SignedIn />
}

function Elsewhere({ brandId }: { readonly brandId: string }) {
  useEffect(() => switchBrand(brandId), [brandId])
  return <div className={styles.app} />
}

function SignedIn() {
  useShortcuts()
  const { skip } = useTexts(SHELL_TEXTS)
  useNamedBrand()
  return (
    <div className={styles.app}>
      <a className={styles.skip} href="#page">
        {skip}
      </a>
      <Rail />
      <ProofDialog />
      <FinderHost />
      <main className={styles.page} id="page" tabIndex={-1}>
        <ConnectionNote />
        <Unclaimed />
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
        <div id="menus" />
      </main>
    </div>
  )
}

/** Puts the brand into the address that the page was opened with, for members of several. */
function useNamedBrand(): void {
  const address = useRouterState({ select: (state) => state.location.href })
  const go = useGo()
  useEffect(() => {
    if (lacksBrand(address)) go(address, 'replace')
  }, [go, address])
}
