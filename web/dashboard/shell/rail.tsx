import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs'
import IconBook from '@tabler/icons-react/dist/esm/icons/IconBook.mjs'
import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs'
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs'
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
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { useRouterState } from '@tanstack/react-router'
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useState } from 'react'
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

/** The pages of the rail, with the scopes of which a reader needs one. A phone shows the main ones, and all in a sheet. */
const PAGES = [
  { name: 'home', to: '/', icon: IconHome, scopes: ['push:read', 'events:read', 'brand:read'], isMain: true },
  { name: 'compose', to: '/compose', icon: IconPencil, scopes: ['push', 'draft'], isMain: true },
  { name: 'messages', to: '/messages', icon: IconSend, scopes: ['push:read'], isMain: true },
  { name: 'templates', to: '/templates', icon: IconFileText, scopes: ['push:read'], isMain: false },
  { name: 'people', to: '/people', icon: IconUsers, scopes: ['profiles:read'], isMain: true },
  { name: 'segments', to: '/segments', icon: IconFilter, scopes: ['segments:read'], isMain: true },
  { name: 'journeys', to: '/journeys', icon: IconRoute, scopes: ['journeys:read'], isMain: true },
  {
    name: 'events',
    to: '/events',
    icon: IconActivity,
    scopes: ['events:read', 'schema:read'],
    isMain: false,
  },
  { name: 'devices', to: '/devices', icon: IconDeviceMobile, scopes: ['subscriptions:read'], isMain: false },
] as const

export function Rail() {
  const texts = useTexts(SHELL_TEXTS)
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isAtMain = PAGES.some((page) => page.isMain && isAt(path, page.to))
  return (
    <nav
      className={styles.rail}
      aria-label={texts.main}
      data-open={isOpen}
      {...closing(() => setOpen(false))}
    >
      <BrandMenu />
      <button type="button" className={styles.find} onClick={openFinder} aria-keyshortcuts="Meta+K Control+K">
        <Icon of={IconSearch} />
        <span className={styles.word}>{texts.find}</span>
        <kbd className={styles.key}>⌘K</kbd>
      </button>
      {PAGES.map(({ isMain, ...page }) => (
        <span key={page.name} className={isMain ? styles.main : styles.rest}>
          <RailLink {...page} label={texts.pages[page.name]} />
        </span>
      ))}
      <span className={styles.gap} />
      <span className={styles.rest}>
        <DeviceButton />
        <CallButton />
        <a className={styles.link} href="/demo" title={texts.demo}>
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
      </span>
      <button
        type="button"
        className={`${styles.link} ${styles.more}`}
        aria-expanded={isOpen}
        data-here={!isAtMain}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={isOpen ? IconX : IconDots} />
        <span className={styles.word}>{isOpen ? texts.less : texts.more}</span>
      </button>
    </nav>
  )
}

/** The sheet of a phone goes when a page was chosen, the focus left it, or Escape was pressed. */
function closing(close: () => void) {
  return {
    onClick: ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('a') !== null) close()
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) close()
    },
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close()
    },
  }
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
  return (
    <Link className={styles.link} to={to} title={label} aria-current={isAt(path, to) ? 'page' : undefined}>
      <Icon of={icon} />
      <span className={styles.word}>{label}</span>
      {to === '/' && <NeedsCount />}
    </Link>
  )
}

/** Whether a path is of the page, or below it. */
function isAt(path: string, page: string): boolean {
  return page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`)
}

/** How many things need somebody, on every page; the same stream tells every page when the session ends. */
function NeedsCount() {
  const seen = useOverview()
  const count = seen === undefined ? 0 : needsOf(seen.overview).length
  return count === 0 ? null : <span className={styles.count}>{count}</span>
}
