import type { Route } from '../route.ts'

/** The endpoints of one group, which share a page. */
export type Group = {
  readonly name: string
  readonly slug: string
  readonly path: string
  readonly section: string
  readonly about: string
  /** The name of the guide that explains the group. */
  readonly guide: string | null
  readonly routes: readonly Route[]
}

/** The groups of the route table, in its order. A group without facts here has its page too. */
export function groupsOf(routes: readonly Route[]): readonly Group[] {
  return [...Map.groupBy(routes, ({ group }) => group)].map(([name, rows]) => {
    const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
    const { section = 'More', about = '', guide = null } = GROUP_FACTS.get(name) ?? {}
    return { name, slug, path: `/docs/api/${slug}`, section, about, guide, routes: rows }
  })
}

type GroupFacts = { readonly section: string; readonly about: string; readonly guide: string | null }

const GROUP_FACTS: ReadonlyMap<string, GroupFacts> = new Map(
  Object.entries({
    Push: {
      section: 'Send',
      about: 'Send to one person, to everybody or to a segment, now or later.',
      guide: 'push',
    },
    Notifications: {
      section: 'Send',
      about: 'What became of each push, device by device; and how to stop it.',
      guide: 'push',
    },
    Receipts: {
      section: 'Send',
      about: 'Devices report what was shown, tapped or dismissed.',
      guide: 'mobile',
    },
    Campaigns: {
      section: 'Send',
      about: 'One message for several platforms, with variants, approval and a goal.',
      guide: 'campaigns',
    },
    Journeys: {
      section: 'Send',
      about: 'Automation: wait, send and decide for each person until the goal is reached.',
      guide: 'journeys',
    },
    Templates: {
      section: 'Send',
      about: 'Saved texts, and snippets that several of them share.',
      guide: 'templates',
    },
    Topics: {
      section: 'Send',
      about: 'The kinds of messages that people can turn off.',
      guide: 'preferences',
    },
    Preferences: {
      section: 'Send',
      about: 'Which topics a person or a device has turned off.',
      guide: 'preferences',
    },
    Events: { section: 'Know', about: 'Log what people do, watch it arrive, and count it.', guide: 'events' },
    Series: { section: 'Know', about: 'Counts over time, for charts.', guide: 'series' },
    Profiles: {
      section: 'Know',
      about: 'People: create, find, read, merge and erase them.',
      guide: 'people',
    },
    Subscriptions: {
      section: 'Know',
      about: 'The devices and browsers that a push can reach.',
      guide: 'mobile',
    },
    Segments: { section: 'Know', about: 'Audiences, written as a filter.', guide: 'segments' },
    Catalogue: {
      section: 'Know',
      about: 'The attributes, tags, languages and versions that this brand has seen.',
      guide: 'people',
    },
    Web: {
      section: 'Build in',
      about: 'The scripts of the web SDK, and the calls it makes.',
      guide: 'web-sdk',
    },
    Webhooks: {
      section: 'Build in',
      about: 'Signed calls to your server, with a log and a way to send them again.',
      guide: 'webhooks',
    },
    Sandbox: {
      section: 'Build in',
      about: 'The built-in simulator of FCM, APNs and Web Push: its devices, its inbox, its bad days.',
      guide: 'push',
    },
    Brand: { section: 'Run', about: 'The settings of the brand.', guide: 'preferences' },
    Keys: { section: 'Run', about: 'API keys, their scopes, and the identity key.', guide: 'roles' },
    Channels: { section: 'Run', about: 'Credentials and state of each platform.', guide: 'going-live' },
    Members: {
      section: 'Run',
      about: 'The people who sign in, their roles and their sessions.',
      guide: 'team',
    },
    Audit: { section: 'Run', about: 'Every change, with its author.', guide: 'audit' },
    Health: { section: 'Run', about: 'For monitoring: alive, ready, and the metrics.', guide: 'operating' },
  }),
)
