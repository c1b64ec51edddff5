import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VISITOR_BUDGETS } from './rules/people.ts'
import { analyticsSettings } from './runtime/analytics-setting.ts'
import { databaseSettings } from './runtime/database-setting.ts'
import { StartError } from './runtime/errors.ts'
import { eventRowsConflicts, eventStoreConflicts } from './runtime/event-store-setting.ts'
import { outgoingSettings } from './runtime/outgoing-setting.ts'
import { recordSettings } from './runtime/record-setting.ts'
import { choice, host, hostPort, integer, list, text, url } from './runtime/setting.ts'
import type { Read, SettingText } from './runtime/setting-row.ts'
import { teamConflicts, teamSettings } from './runtime/team-setting.ts'

/** The values of all settings, read once at start. */
export type Config = ReturnType<typeof settings>

/** The folder of Beckon itself. A relative data folder is resolved from here, so every command finds the same one. */
export const HOME = dirname(dirname(fileURLToPath(import.meta.url)))

/** Reads the environment, or throws an error that names every bad setting. An empty value counts as not set. */
export function loadConfig(environment: Environment = process.env): Config {
  const problems: string[] = []
  const config = settings((setting) => {
    const given = environment[setting.name]
    if (given === undefined || given === '') return setting.default
    const parsed = setting.parse(given)
    if (parsed.ok) return parsed.value
    problems.push(`${setting.name} must be ${parsed.expected}.`)
    return setting.default
  })
  problems.push(
    ...conflicts(config),
    ...teamConflicts(config),
    ...eventStoreConflicts(config),
    ...eventRowsConflicts(config),
  )
  if (problems.length > 0) throw new StartError(problems.join('\n'))
  return config
}

/** The rows for docs/settings.md and `beckon help settings`. */
export function describeSettings(): readonly SettingText[] {
  const rows: SettingText[] = []
  settings((setting) => {
    const { name, meaning, unset = `\`${String(setting.default)}\`` } = setting
    rows.push({ name, meaning, default: unset })
    return setting.default
  })
  return rows
}

/** The variables that look like settings and are none. */
export function unknownSettings(environment: Environment = process.env): readonly string[] {
  const known = describeSettings().map(({ name }) => name)
  return Object.keys(environment).filter((name) => /^beckon_/i.test(name) && !known.includes(name))
}

type Environment = { readonly [name: string]: string | undefined }

/** The table of settings. `loadConfig` and `describeSettings` walk over the same rows. */
function settings(read: Read) {
  return {
    ...serving(read),
    ...recordSettings(read),
    visitorBudgets: visiting(read),
    ...storing(read),
    ...returning(read),
    ...calling(read),
    ...reaching(read),
    ...outgoingSettings(read),
    ...teamSettings(read),
    ...sharing(read),
    ...analyticsSettings(read, HOME),
  }
}

/** The address of the API. */
function serving(read: Read) {
  return {
    port: read({
      name: 'PORT',
      parse: integer(0, 65_535),
      default: 8080,
      meaning: 'The port to serve on; 0 takes a free one.',
    }),
    host: read({
      name: 'HOST',
      parse: text({ charsMax: 255 }),
      default: '127.0.0.1',
      meaning:
        'The address to serve on. The default accepts connections from this machine only; 0.0.0.0 accepts all.',
    }),
    metricsPort: read<number | null>({
      name: 'BECKON_METRICS_PORT',
      parse: integer(1, 65_535),
      default: null,
      unset: 'none',
      meaning:
        'The port on which a `bin/beckon worker` that runs alone serves /metrics and /healthz, at HOST. The API serves the metrics of all processes under its supervisor.',
    }),
    proxyHops: read({
      name: 'BECKON_PROXY_HOPS',
      parse: integer(0, 10),
      default: 0,
      meaning:
        'Number of trusted reverse proxies in front of Beckon. Rate limits per network then use the address that the outermost of them adds to X-Forwarded-For.',
    }),
  }
}

/** The most that the browsers of one network may cause for one brand in an hour, with a publishable key. */
function visiting(read: Read) {
  const most = (name: string, value: number, meaning: string): number =>
    read({ name, parse: integer(1, 1_000_000_000), default: value, meaning })
  const { kibibytes, rows, profiles, names, brandEventNames, brandAttributes } = VISITOR_BUDGETS
  return {
    kibibytes: most('BECKON_VISITOR_KIBIBYTES', kibibytes, `KiB of bodies${VISITING}.`),
    rows: most('BECKON_VISITOR_ROWS', rows, `Events and other commands${VISITING}.`),
    profiles: most('BECKON_VISITOR_PROFILES', profiles, `First calls, logins, logouts, devices${VISITING}.`),
    names: most('BECKON_VISITOR_NAMES', names, `New names of events and attributes${VISITING}.`),
    brandEventNames: most('BECKON_EVENT_NAMES_MAX', brandEventNames, `Event names of a brand${FULL}.`),
    brandAttributes: most('BECKON_BROWSER_ATTRIBUTES_MAX', brandAttributes, `Attributes of browsers${FULL}.`),
  }
}

const VISITING = ' that the browsers of one network may bring to one brand in an hour'
const FULL = ' from which on browsers can bring no new ones; servers always can'

/** The database, the data folder, and how long rows are kept. */
function storing(read: Read) {
  return {
    ...databaseSettings(read),
    dataDir: read({
      name: 'BECKON_DATA_DIR',
      parse: (value) => ({ ok: true, value: resolve(HOME, value) }),
      default: resolve(HOME, 'data'),
      unset: '`./data`',
      meaning: 'The folder for the database and the secret. A relative path starts at the folder of Beckon.',
    }),
    secret: read<string | null>({
      name: 'BECKON_SECRET',
      parse: text({ charsMin: 32, charsMax: 1024, isSecret: true }),
      default: null,
      unset: 'made once, in the data folder',
      meaning:
        'The key that encrypts stored credentials, 32 characters or more. Set the same on every machine. Without it the stored credentials cannot be read.',
    }),
    eventRetentionDays: read({
      name: 'BECKON_EVENT_RETENTION_DAYS',
      parse: integer(1, 36_500),
      default: 365,
      meaning:
        'Days that events are kept after they were received. Events are deleted by whole weeks; counters stay.',
    }),
    notificationRetentionDays: read({
      name: 'BECKON_NOTIFICATION_RETENTION_DAYS',
      parse: integer(1, 36_500),
      default: 90,
      meaning:
        'Days that a notification is kept after it finished, with its deliveries and receipts, and that the people of a campaign are known for its results. The numbers of the campaign stay.',
    }),
    oldSecrets: read<readonly string[]>({
      name: 'BECKON_OLD_SECRETS',
      parse: list(text({ charsMin: 32, charsMax: 1024 })),
      default: [],
      unset: 'none',
      meaning:
        'Former values of BECKON_SECRET, separated by commas. Credentials need them for a minute or two, until the workers have encrypted them anew; links, receipts, visitors and authenticator apps need them for longer (docs/operating.md, Changing the secret).',
    }),
  }
}

/** Browsers that come back. */
function returning(read: Read) {
  return {
    visitorDays: read({
      name: 'BECKON_VISITOR_DAYS',
      parse: integer(1, 36_500),
      default: 400,
      meaning:
        'Days after which a browser that did not come back is a new visitor. A browser that comes back gets a new token in time.',
    }),
  }
}

/** The brand and keys that exist from the first start on. */
function calling(read: Read) {
  return {
    brandId: read<string | null>({
      name: 'BECKON_BRAND_ID',
      parse: text({ charsMax: 100 }),
      default: null,
      unset: 'a demo brand at the first start',
      meaning: 'The id of a brand that the start creates if it does not exist. Needs BECKON_API_KEY.',
    }),
    apiKey: read<string | null>({
      name: 'BECKON_API_KEY',
      parse: text({ charsMin: 8, charsMax: 200, isSecret: true }),
      default: null,
      unset: 'none',
      meaning: 'The secret key of that brand, 8 characters or more. Make it long and random.',
    }),
    publishableKey: read<string | null>({
      name: 'BECKON_PUBLISHABLE_KEY',
      parse: text({ charsMin: 8, charsMax: 200, isSecret: true }),
      default: null,
      unset: 'none',
      meaning: 'The publishable key of that brand, for its web pages.',
    }),
  }
}

/** The addresses that Beckon sends to. */
function reaching(read: Read) {
  return {
    fcmOrigin: read<string | null>({
      name: 'BECKON_FCM_ORIGIN',
      parse: url(['https:']),
      default: null,
      unset: '`https://fcm.googleapis.com`',
      meaning: 'The address of FCM, for a proxy or a test.',
    }),
    fcmTokenUrl: read<string | null>({
      name: 'BECKON_FCM_TOKEN_URL',
      parse: url(['https:']),
      default: null,
      unset: '`https://oauth2.googleapis.com/token`',
      meaning: 'The address where Google issues access tokens for FCM, for a proxy or a test.',
    }),
    sandbox: read<'on' | 'off'>({
      name: 'BECKON_SANDBOX',
      parse: choice(['on', 'off']),
      default: 'on',
      meaning:
        'Whether bin/beckon start also runs the sandbox: a built-in simulator of FCM, APNs and Web Push, which receives the messages of brands without credentials.',
    }),
    apnsOrigin: read<string | null>({
      name: 'BECKON_APNS_ORIGIN',
      parse: url(['https:']),
      default: null,
      unset: '`https://api.push.apple.com`',
      meaning: 'The address of APNs for devices of the production environment, for a proxy or a test.',
    }),
    apnsSandboxOrigin: read<string | null>({
      name: 'BECKON_APNS_SANDBOX_ORIGIN',
      parse: url(['https:']),
      default: null,
      unset: '`https://api.sandbox.push.apple.com`',
      meaning: 'The address of APNs for devices of the sandbox environment of Apple, for a proxy or a test.',
    }),
    pushHosts: read<readonly string[]>({
      name: 'BECKON_PUSH_HOSTS',
      parse: list(host()),
      default: [],
      unset: 'none',
      meaning:
        'Hosts of web push services to allow beside those of the known browsers, separated by commas, each as host or host:port.',
    }),
    webhookHosts: read<readonly string[]>({
      name: 'BECKON_WEBHOOK_HOSTS',
      parse: list(hostPort()),
      default: [],
      unset: 'none',
      meaning:
        'Private hosts that webhooks may call, also by plain http, separated by commas, each as host:port.',
    }),
  }
}

/** The number of processes. */
function sharing(read: Read) {
  const half = Math.max(1, Math.min(8, Math.floor(availableParallelism() / 2)))
  return {
    apiProcesses: read({
      name: 'BECKON_API_PROCESSES',
      parse: integer(1, 64),
      default: half,
      unset: 'half the cores, 1 to 8',
      meaning: 'Number of processes that answer requests.',
    }),
    workerProcesses: read({
      name: 'BECKON_WORKER_PROCESSES',
      parse: integer(1, 64),
      default: half,
      unset: 'half the cores, 1 to 8',
      meaning: 'Number of worker processes, which send, count events, run journeys and clean up.',
    }),
  }
}

function conflicts({ brandId, apiKey, publishableKey }: Config): readonly string[] {
  if (brandId === null && apiKey === null && publishableKey === null) return []
  if (brandId === null)
    return ['BECKON_BRAND_ID must be set when BECKON_API_KEY or BECKON_PUBLISHABLE_KEY is.']
  if (apiKey === null) return ['BECKON_API_KEY must be set when BECKON_BRAND_ID is.']
  if (apiKey === publishableKey) return ['BECKON_PUBLISHABLE_KEY must differ from BECKON_API_KEY.']
  return []
}
