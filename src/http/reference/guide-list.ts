/** A page of `docs/` that is served under `/docs/guides`. */
type GuideRow = {
  /** The last part of its address. */
  readonly name: string
  /** From the folder of the project. */
  readonly file: string
  readonly label: string
  readonly about: string
}

type GuideSection = { readonly title: string; readonly guides: readonly GuideRow[] }

/** The guides in the order in which the contents list them. Nothing else of `docs/` is served. */
export const GUIDE_SECTIONS: readonly GuideSection[] = [
  {
    title: 'Begin',
    guides: [
      {
        name: 'start',
        file: 'README.md',
        label: 'First steps',
        about: 'The first push, the first event, the first journey.',
      },
      {
        name: 'dashboard',
        file: 'docs/dashboard.md',
        label: 'The dashboard',
        about: 'Its pages, its keys, and how to sign in.',
      },
      {
        name: 'going-live',
        file: 'docs/going-live.md',
        label: 'Going live',
        about: 'From the demo to production, in ten steps.',
      },
      {
        name: 'glossary',
        file: 'docs/glossary.md',
        label: 'Glossary',
        about: 'What each word means here.',
      },
    ],
  },
  {
    title: 'Send',
    guides: [
      {
        name: 'push',
        file: 'docs/push.md',
        label: 'Pushes',
        about: 'Audience, time and languages, and what became of it.',
      },
      {
        name: 'campaigns',
        file: 'docs/campaigns.md',
        label: 'Campaigns',
        about: 'One message for all platforms, with variants and a goal.',
      },
      {
        name: 'journeys',
        file: 'docs/journeys.md',
        label: 'Journeys',
        about: 'Wait, send and decide until the goal is reached.',
      },
      {
        name: 'templates',
        file: 'docs/templates.md',
        label: 'Templates',
        about: 'Texts that are saved once and used in many places.',
      },
      {
        name: 'preferences',
        file: 'docs/preferences.md',
        label: 'Preferences',
        about: 'Topics, opt-outs, quiet hours and the frequency cap.',
      },
    ],
  },
  {
    title: 'Know',
    guides: [
      {
        name: 'events',
        file: 'docs/events.md',
        label: 'Events',
        about: 'Log what people do, and check that it is right.',
      },
      {
        name: 'event-files',
        file: 'docs/event-files.md',
        label: 'Event files',
        about: 'All events in Parquet, for DuckDB, Spark or a warehouse.',
      },
      {
        name: 'people',
        file: 'docs/people.md',
        label: 'People',
        about: 'Find anybody, and read what happened to them.',
      },
      {
        name: 'segments',
        file: 'docs/segments.md',
        label: 'Segments',
        about: 'Say whom in a filter; size and members.',
      },
      {
        name: 'series',
        file: 'docs/series.md',
        label: 'Series',
        about: 'Counts over time, for charts.',
      },
      {
        name: 'live',
        file: 'docs/live.md',
        label: 'Live',
        about: 'Progress, overview and events as they happen, over one stream.',
      },
    ],
  },
  {
    title: 'Build in',
    guides: [
      {
        name: 'web-sdk',
        file: 'docs/web-sdk.md',
        label: 'Web SDK',
        about: 'A script for your site. Five minutes.',
      },
      {
        name: 'mobile',
        file: 'docs/mobile.md',
        label: 'Apps',
        about: 'Android, iOS, React Native and Flutter in plain HTTP.',
      },
      {
        name: 'virtual-devices',
        file: 'docs/virtual-devices.md',
        label: 'Virtual devices',
        about: 'Phones and browsers of the sandbox, to try a push on.',
      },
      {
        name: 'client',
        file: 'docs/client.md',
        label: 'Client for servers',
        about: 'Typed calls with retries, for Node and others.',
      },
      {
        name: 'webhooks',
        file: 'docs/webhooks.md',
        label: 'Webhooks',
        about: 'Signed calls to your server when something happens.',
      },
    ],
  },
  {
    title: 'Run',
    guides: [
      {
        name: 'operating',
        file: 'docs/operating.md',
        label: 'Operating',
        about: 'Processes, proxies, monitoring, backup, upgrade.',
      },
      {
        name: 'cluster',
        file: 'docs/cluster.md',
        label: 'Several machines',
        about: 'A cluster that survives the loss of any machine.',
      },
      {
        name: 'benchmarks',
        file: 'docs/benchmarks.md',
        label: 'Measurements',
        about: 'What was measured, and what failed.',
      },
      {
        name: 'alerts',
        file: 'docs/alerts.md',
        label: 'Alerts',
        about: 'What each alert means, and where to look first.',
      },
      {
        name: 'metrics',
        file: 'docs/metrics.md',
        label: 'Metrics',
        about: 'What Beckon tells Prometheus.',
      },
      {
        name: 'settings',
        file: 'docs/settings.md',
        label: 'Settings',
        about: 'Every setting of the server, with its default.',
      },
      {
        name: 'team',
        file: 'docs/team.md',
        label: 'Members',
        about: 'Who may sign in, and how.',
      },
      {
        name: 'roles',
        file: 'docs/roles.md',
        label: 'Roles and scopes',
        about: 'What each role and each key may call.',
      },
      {
        name: 'audit',
        file: 'docs/audit.md',
        label: 'Audit log',
        about: 'Every change, with its author.',
      },
    ],
  },
  {
    title: 'Fine print',
    guides: [
      {
        name: 'no-undo',
        file: 'docs/no-undo.md',
        label: 'Calls without undo',
        about: 'What cannot be taken back, and what a typing error does.',
      },
      {
        name: 'spec-gaps',
        file: 'docs/spec-gaps.md',
        label: 'Exact behaviour',
        about: 'What happens in the cases that the contract leaves open.',
      },
    ],
  },
]
