import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs'
import IconBook from '@tabler/icons-react/dist/esm/icons/IconBook.mjs'
import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs'
import IconFileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs'
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs'
import IconHome from '@tabler/icons-react/dist/esm/icons/IconHome.mjs'
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs'
import IconRoute from '@tabler/icons-react/dist/esm/icons/IconRoute.mjs'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs'
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs'
import IconShoppingBag from '@tabler/icons-react/dist/esm/icons/IconShoppingBag.mjs'
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs'
import { useRouterState } from '@tanstack/react-router'
import { Link } from '../kit/address.tsx'
import { Icon } from '../kit/icon.tsx'
import { useMay } from '../kit/member.ts'
import { needsOf, useOverview } from '../kit/overview.ts'
import { useTexts } from '../kit/texts.tsx'
import { BrandMenu } from './brand-menu.tsx'
import { CallButton } from './call-button.tsx'
import { DeviceButton } from './device-button.tsx'
import styles from './rail.module.css'
import { openFinder } from './shortcuts.tsx'
import { SHELL_TEXTS } from './texts.ts'

/** The pages of the rail, with the scopes of which a reader needs one. */
const PAGES = [
  { name: 'home', to: '/', icon: IconHome, scopes: ['push:read', 'events:read', 'brand:read'] },
  { name: 'compose', to: '/compose', icon: IconPencil, scopes: ['push', 'draft'] },
  { name: 'messages', to: '/messages', icon: IconSend, scopes: ['push:read'] },
  { name: 'templates', to: '/templates', icon: IconFileText, scopes: ['push:read'] },
  { name: 'people', to: '/people', icon: IconUsers, scopes: ['profiles:read'] },
  { name: 'segments', to: '/segments', icon: IconFilter, scopes: ['segments:read'] },
  { name: 'journeys', to: '/journeys', icon: IconRoute, scopes: ['journeys:read'] },
  { name: 'events', to: '/events', icon: IconActivity, scopes: ['events:read', 'schema:read'] },
  { name: 'devices', to: '/devices', icon: IconDeviceMobile, scopes: ['subscriptions:read'] },
] as const

export function Rail() {
  const texts = useTexts(SHELL_TEXTS)
  return (
    <nav className={styles.rail} aria-label={texts.main}>
      <BrandMenu />
      <button type="button" className={styles.find} onClick={openFinder} aria-keyshortcuts="Meta+K Control+K">
        <Icon of={IconSearch} />
        <span className={styles.word}>{texts.find}</span>
        <kbd className={styles.key}>⌘K</kbd>
      </button>
      {PAGES.map((page) => (
        <RailLink key={page.name} {...page} label={texts.pages[page.name]} />
      ))}
      <span className={styles.gap} />
      <DeviceButton />
      <CallButton />
      <a className={`${styles.link} ${styles.wide}`} href="/demo" title={texts.demo}>
        <Icon of={IconShoppingBag} />
        <span className={styles.word}>{texts.demo}</span>
      </a>
      <a className={styles.link} href="/docs" title={texts.guides}>
        <Icon of={IconBook} />
        <span className={styles.word}>{texts.guides}</span>
      </a>
      <RailLink
        to="/settings"
        icon={IconSettings}
        label={texts.pages.settings}
        scopes={['brand:read', 'keys', 'members']}
      />
    </nav>
  )
}

type RailLinkProps = {
  readonly to: string
  readonly icon: typeof IconHome
  readonly label: string
  readonly scopes: readonly string[]
}

function RailLink({ to, icon, label, scopes }: RailLinkProps) {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isShown = useMay(...scopes)
  if (!isShown) return null
  const isHere = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
  return (
    <Link className={styles.link} to={to} title={label} aria-current={isHere ? 'page' : undefined}>
      <Icon of={icon} />
      <span className={styles.word}>{label}</span>
      {to === '/' && <NeedsCount />}
    </Link>
  )
}

/** How many things need somebody, on every page; the same stream tells every page when the session ends. */
function NeedsCount() {
  const seen = useOverview()
  const count = seen === undefined ? 0 : needsOf(seen.overview).length
  return count === 0 ? null : <span className={styles.count}>{count}</span>
}
