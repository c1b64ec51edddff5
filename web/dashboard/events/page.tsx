import type { ReactNode } from 'react'
import { Link, usePathWord } from '../kit/address.tsx'
import { useMay, useMe } from '../kit/member.ts'
import { Page } from '../kit/page.tsx'
import { PageSkeleton } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { ExploreView } from './explore.tsx'
import { FunnelView } from './funnel.tsx'
import { LiveView } from './live.tsx'
import { PathsView } from './paths.tsx'
import { RefusedView } from './refused.tsx'
import { RetentionView } from './retention.tsx'
import { RowsView } from './rows.tsx'
import { SchemaView } from './schema.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { TrendView } from './trend.tsx'

/** The views in the order of the two questions: is my tracking right, and what do people do. */
const QUESTIONS = {
  right: ['live', 'schema', 'refused'],
  doing: ['trend', 'explore', 'funnel', 'retention', 'paths', 'rows'],
} as const

type ViewName = (typeof QUESTIONS)['right' | 'doing'][number]

/** The views without anything personal, which a developer sees too. */
const PLAIN_VIEWS: readonly ViewName[] = ['live', 'schema']

const VIEWS: Readonly<Record<ViewName, () => ReactNode>> = {
  live: LiveView,
  schema: SchemaView,
  refused: RefusedView,
  trend: TrendView,
  explore: ExploreView,
  funnel: FunnelView,
  retention: RetentionView,
  paths: PathsView,
  rows: RowsView,
}

export function EventsPage() {
  const texts = useTexts(EVENTS_TEXTS)
  const me = useMe()
  const mayReadAll = useMay('events:read')
  const word = usePathWord('view')
  const mayRead = (name: ViewName): boolean => mayReadAll || PLAIN_VIEWS.includes(name)
  const named = [...QUESTIONS.right, ...QUESTIONS.doing].find((name) => name === word) ?? 'live'
  const view = mayRead(named) ? named : 'live'
  // A view asks for rows at once, so the role must be known first.
  if (me.data === undefined) return <PageSkeleton />
  const View = VIEWS[view]
  return (
    <Page title={texts.title}>
      <nav className={styles.views} aria-label={texts.title}>
        {[QUESTIONS.right, QUESTIONS.doing].map((names) => (
          <ViewLinks key={names[0]} names={names.filter(mayRead)} chosen={view} />
        ))}
      </nav>
      <View />
    </Page>
  )
}

function ViewLinks({ names, chosen }: { readonly names: readonly ViewName[]; readonly chosen: ViewName }) {
  const { views } = useTexts(EVENTS_TEXTS)
  if (names.length === 0) return null
  return (
    <div className={styles.group}>
      {names.map((name) => (
        <Link
          key={name}
          to={name === 'live' ? '/events' : `/events/${name}`}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {views[name]}
        </Link>
      ))}
    </div>
  )
}
