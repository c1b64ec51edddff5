/** The definition of one Prometheus metric. */
export type Measure<Label extends string> = {
  readonly name: string
  /** For the reader of `/metrics`. */
  readonly help: string
  readonly labels: readonly Label[]
  /** For the reader of docs/metrics.md: the value that should make an operator look, and where to look. */
  readonly watch: string
}

export type HistogramMeasure<Label extends string> = Measure<Label> & { readonly buckets: readonly number[] }

const QUICK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Every metric of Beckon: docs/metrics.md is written from these rows, and a test compares them with a real `/metrics`. */
export const MEASURES = {
  httpRequests: {
    name: 'beckon_http_requests_total',
    help: 'Requests answered, by endpoint and status.',
    labels: ['method', 'route', 'status'],
    watch: 'Answers 5xx. The log has a line for each, with its request id.',
  },
  httpDuration: {
    name: 'beckon_http_request_duration_seconds',
    help: 'From the end of the headers to the last byte of the reply.',
    labels: ['method', 'route'],
    buckets: QUICK_SECONDS,
    watch: 'The 99th percentile of the routes you depend on.',
  },
  httpInFlight: {
    name: 'beckon_http_requests_in_flight',
    help: 'Requests at work right now.',
    labels: [],
    watch: 'A number that grows and does not fall: look at the database.',
  },
  httpShed: {
    name: 'beckon_http_requests_shed_total',
    help: 'Requests answered 503 because the process was overloaded.',
    labels: [],
    watch: 'Any growth: add cores or machines.',
  },
  liveStreams: {
    name: 'beckon_live_streams',
    help: 'Live streams that are open right now.',
    labels: [],
    watch: 'A number near 2000, the most that one process opens: start more API processes.',
  },
  liveLooks: {
    name: 'beckon_live_looks_total',
    help: 'Reads of the subjects of live streams.',
    labels: [],
    watch: 'Much more than one a second for each subject that somebody watches.',
  },
  visitorBudgetsSpent: {
    name: 'beckon_visitor_budgets_spent_total',
    help: 'Calls of browsers that were refused, whole or in part, because their network had spent a budget.',
    labels: ['budget'],
    watch:
      'Growth: somebody floods a brand with its publishable key, or a site sends more than its budget. See `BECKON_VISITOR_*`.',
  },
  loopItems: {
    name: 'beckon_loop_items_total',
    help: 'Items that a background loop claimed, by outcome.',
    labels: ['loop', 'outcome'],
    watch: 'Growing `failed` or `lost`: the log says why.',
  },
  loopItemSeconds: {
    name: 'beckon_loop_item_seconds',
    help: 'Time from the claim of an item to its end.',
    labels: ['loop'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    watch: 'A loop that takes much longer than yesterday.',
  },
  loopClaimSeconds: {
    name: 'beckon_loop_claim_seconds',
    help: 'Time that the claim of a background loop took in the database.',
    labels: ['loop'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    watch: 'A 99th percentile above 0.5: the database is slow, or a queue is very long.',
  },
  loopWaitSeconds: {
    name: 'beckon_loop_wait_seconds',
    help: 'Time from the moment when work was ready to its claim, for loops that send.',
    labels: ['loop'],
    buckets: [0.01, 0.05, 0.2, 1, 5, 30, 120, 600],
    watch: 'The loop `send-small` above 5: single sends wait. Add worker processes.',
  },
  backlog: {
    name: 'beckon_backlog',
    help: 'Work that waits and could be done now, by lane. Counting stops at 10000 rows.',
    labels: ['lane'],
    watch: 'A lane that grows for minutes.',
  },
  backlogOldest: {
    name: 'beckon_backlog_oldest_seconds',
    help: 'How long the oldest waiting work of a lane has waited, 0 if none waits.',
    labels: ['lane'],
    watch: 'Minutes in any lane but `webhooks`, which also waits for endpoints that are down.',
  },
  backlogRead: {
    name: 'beckon_backlog_read_timestamp_seconds',
    help: 'When a worker last read the backlog, in seconds since 1970.',
    labels: [],
    watch: 'Older than a minute: no worker reaches the database, and the figures of the backlog are old.',
  },
  attempts: {
    name: 'beckon_attempts_total',
    help: 'Messages handed to a push provider, by what it answered.',
    labels: ['platform', 'verdict'],
    watch: 'The share of `accepted`.',
  },
  providerErrors: {
    name: 'beckon_provider_errors_total',
    help: 'Messages that a push provider did not accept, by the class of the reason.',
    labels: ['platform', 'reason'],
    watch:
      '`credential`, `network` and `provider`: messages wait. The channel of the brand says the exact reason.',
  },
  channelsPaused: {
    name: 'beckon_channels_paused',
    help: 'Channels of all brands that hand nothing over, because a credential is refused or a setting is wrong.',
    labels: [],
    watch:
      'Above 0: `bin/beckon doctor` names the brand, `GET /api/v1/brand/channels` of the brand says why.',
  },
  sendingHeld: {
    name: 'beckon_sending_held',
    help: 'Whether all sending is held (bin/beckon hold): 1 or 0.',
    labels: [],
    watch: '1: an operator holds all sending.',
  },
  databaseConnections: {
    name: 'beckon_database_connections',
    help: 'Connections to the database, by pool and state.',
    labels: ['pool', 'state'],
    watch: '`in_use` near the size of the pool.',
  },
  databaseConnectionsMax: {
    name: 'beckon_database_connections_max',
    help: 'The size of a pool: the most connections it opens.',
    labels: ['pool'],
    watch: 'Set with `BECKON_DATABASE_CONNECTIONS`.',
  },
  databaseWaiting: {
    name: 'beckon_database_waiting',
    help: 'Queries and transactions that wait for a connection of the pool.',
    labels: ['pool'],
    watch: 'Above 0 for minutes: the database is slow, or the pool is too small.',
  },
  databaseCommitSeconds: {
    name: 'beckon_database_commit_seconds',
    help: 'Time of a commit: the write to the disk of the database, and the way there and back.',
    labels: ['pool'],
    buckets: QUICK_SECONDS,
    watch: 'A 99th percentile above 0.1: the disk of the database is slow.',
  },
  processRestarts: {
    name: 'beckon_process_restarts_total',
    help: 'Processes started in place of one that died.',
    labels: ['name'],
    watch: 'Any growth: the log says how the process ended.',
  },
} as const satisfies Readonly<Record<string, Measure<string> | HistogramMeasure<string>>>
