import { type ComponentType, Suspense } from 'react'
import { Link, usePathWord } from '../kit/address.tsx'
import { useMay, useMe } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { lazyPiece } from '../kit/piece.tsx'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { SETTINGS_TEXTS } from './texts.ts'

type SectionName = keyof typeof SETTINGS_TEXTS.en.sections

type Section = {
  readonly name: SectionName
  /** A reader needs one of these scopes, or must look after the whole Beckon; null for everybody. */
  readonly scopes: readonly string[] | 'administrator' | null
  readonly view: ComponentType
}

const SECTIONS: readonly Section[] = [
  {
    name: 'brand',
    scopes: ['brand:read'],
    view: lazyPiece(async () => (await import('./brand.tsx')).BrandSection),
  },
  {
    name: 'channels',
    scopes: ['brand:read'],
    view: lazyPiece(async () => (await import('./channels.tsx')).ChannelsSection),
  },
  {
    name: 'keys',
    scopes: ['brand:read', 'keys'],
    view: lazyPiece(async () => (await import('./keys.tsx')).KeysSection),
  },
  {
    name: 'members',
    scopes: ['members'],
    view: lazyPiece(async () => (await import('./members.tsx')).MembersSection),
  },
  {
    name: 'topics',
    scopes: ['brand:read'],
    view: lazyPiece(async () => (await import('./topics.tsx')).TopicsSection),
  },
  {
    name: 'webhooks',
    scopes: ['brand:read', 'keys'],
    view: lazyPiece(async () => (await import('./webhooks.tsx')).WebhooksSection),
  },
  {
    name: 'audit',
    scopes: ['audit:read'],
    view: lazyPiece(async () => (await import('./audit.tsx')).AuditSection),
  },
  {
    name: 'brands',
    scopes: 'administrator',
    view: lazyPiece(async () => (await import('./brands.tsx')).BrandsSection),
  },
  {
    name: 'account',
    scopes: null,
    view: lazyPiece(async () => (await import('./account.tsx')).AccountSection),
  },
]

/** Everything that is set once and read seldom, one section at a time. */
export function SettingsPage() {
  const texts = useTexts(SETTINGS_TEXTS)
  const wanted = usePathWord('section')
  const section = SECTIONS.find(({ name }) => name === wanted)
  const may = { brand: useMay('brand:read') }
  const shown = section ?? SECTIONS.find(({ name }) => name === (may.brand ? 'brand' : 'account'))
  return (
    <Page title={texts.title}>
      <div className={styles.frame}>
        <nav className={styles.nav} aria-label={texts.title}>
          {SECTIONS.map(({ name, scopes }) => (
            <SectionLink key={name} name={name} scopes={scopes} isHere={name === shown?.name} />
          ))}
        </nav>
        <Suspense fallback={<Lines count={6} />}>{shown !== undefined && <shown.view />}</Suspense>
      </div>
    </Page>
  )
}

type SectionLinkProps = Pick<Section, 'name' | 'scopes'> & { readonly isHere: boolean }

function SectionLink({ name, scopes, isHere }: SectionLinkProps) {
  const { sections } = useTexts(SETTINGS_TEXTS)
  const { data } = useMe()
  const isAllowed = useMay(...(Array.isArray(scopes) ? scopes : []))
  const isAdministrator = scopes === 'administrator' && data?.member.administrator === true
  if (!isAllowed && !isAdministrator && scopes !== null) return null
  return (
    <Link to={`/settings/${name}`} aria-current={isHere ? 'page' : undefined}>
      {sections[name]}
    </Link>
  )
}
