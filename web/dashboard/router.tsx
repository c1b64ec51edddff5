import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { loadPiece } from './kit/piece.tsx'
import { Frame } from './shell/frame.tsx'
import { NotFound } from './shell/not-found.tsx'
import { PageFailed } from './shell/page-failed.tsx'

const rootRoute = createRootRoute({
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <PageFailed error={error} />,
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  component: lazyRouteComponent(async () => import('./sign-in/page.tsx'), 'SignInPage'),
})

/** Every page but the sign-in stands in the frame, which needs a member. */
const frameRoute = createRoute({ getParentRoute: () => rootRoute, id: 'frame', component: Frame })

/** One row a page; each is a chunk of its own. `PAGES` in `src/http/pages/dashboard.ts` has the same first words. */
const pageRoutes = [
  page('/', async () => import('./home/page.tsx'), 'HomePage'),
  // One route for both addresses, so that a new draft keeps its page when it gets its id.
  page('/compose/{-$campaignId}', async () => import('./compose/page.tsx'), 'ComposePage'),
  page('/messages', async () => import('./messages/page.tsx'), 'MessagesPage'),
  page('/messages/$kind/$id', async () => import('./messages/message-page.tsx'), 'MessagePage'),
  page('/templates', async () => import('./templates/page.tsx'), 'TemplatesPage'),
  page('/templates/new-snippet', async () => import('./templates/snippet-page.tsx'), 'SnippetPage'),
  page('/templates/snippets/$name', async () => import('./templates/snippet-page.tsx'), 'SnippetPage'),
  page('/templates/$templateId', async () => import('./templates/template-page.tsx'), 'TemplatePage'),
  page('/people', async () => import('./people/page.tsx'), 'PeoplePage'),
  page('/people/$userId', async () => import('./people/person-page.tsx'), 'PersonPage'),
  page('/segments', async () => import('./segments/page.tsx'), 'SegmentsPage'),
  page('/segments/$segmentId', async () => import('./segments/segment-page.tsx'), 'SegmentPage'),
  page('/journeys', async () => import('./journeys/page.tsx'), 'JourneysPage'),
  page('/journeys/$journeyId', async () => import('./journeys/journey-page.tsx'), 'JourneyPage'),
  page('/events', async () => import('./events/page.tsx'), 'EventsPage'),
  page('/events/$view', async () => import('./events/page.tsx'), 'EventsPage'),
  page('/devices', async () => import('./devices/page.tsx'), 'DevicesPage'),
  page('/settings', async () => import('./settings/page.tsx'), 'SettingsPage'),
  page('/settings/$section', async () => import('./settings/page.tsx'), 'SettingsPage'),
]

function page<Module extends Record<string, unknown>>(
  path: string,
  load: () => Promise<Module>,
  name: keyof Module & string,
) {
  return createRoute({
    getParentRoute: () => frameRoute,
    path,
    // Pages read their own search parameters as plain text (`kit/address.ts`).
    validateSearch: (search: Record<string, unknown>) => search,
    // A page whose chunk is gone, after an update of Beckon, loads the whole document again, once.
    component: lazyRouteComponent(async () => loadPiece(load), name),
  })
}

/** Addresses are plain strings, so that a number can link to any rows without a type for each page's parameters. */
export const ROUTER = createRouter({
  routeTree: rootRoute.addChildren([signInRoute, frameRoute.addChildren(pageRoutes)]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
})
