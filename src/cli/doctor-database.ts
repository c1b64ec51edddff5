import { unreachable } from '../domain/unreachable.ts'
import { EVENT_FILE_LOOKS } from '../rules/event-files.ts'
import { connectionsWanted } from '../store/connections-wanted.ts'
import { type Db, withOwner } from '../store/db.ts'
import { latestVersion, schemaVersion } from '../store/migrate.ts'
import { loadHold } from '../store/push/sending-hold.ts'
import { adviseReplication, judgeReplication, loadReplication } from '../store/replication.ts'
import { loadServerFacts, loadTemporaryRights } from '../store/server-facts.ts'
import { isWatched, readDatabaseUrl } from '../store/session-settings.ts'
import { lookAtChannels } from './doctor-channels.ts'
import { bad, type Check, type Finding, good, type Patient, sizeOf, warn } from './doctor-check.ts'
import { lookAtEventFiles, lookAtEventRows } from './doctor-event-files.ts'
import { lookAtCredentials } from './secret.ts'

const VERSION_MIN = 180_000
const SKEW_MAX_MS = 1_000

/** The checks of the database. */
export const DATABASE_CHECKS: readonly Check[] = [
  { name: 'database', look: onDatabase(lookAtServer) },
  { name: 'durability', needs: 'database', look: onDatabase(lookAtDurability) },
  { name: 'replication', needs: 'database', look: onDatabase(lookAtReplication) },
  { name: 'schema', needs: 'database', look: onDatabase(lookAtSchema) },
  { name: 'connections', needs: 'database', look: onDatabase(lookAtConnections) },
  { name: 'clock', needs: 'database', look: onDatabase(lookAtClock) },
  {
    name: 'credentials',
    needs: 'schema',
    look: onDatabase(async (_, patient, url) => lookAtCredentials(patient, url)),
  },
  { name: 'sending', needs: 'schema', look: onDatabase(lookAtSending) },
  {
    name: 'event files',
    needs: 'schema',
    look: onDatabase(lookAtEventFiles),
    lookMsMax: EVENT_FILE_LOOKS.msMax,
  },
  { name: 'event rows', needs: 'schema', look: lookAtEventRows },
  { name: 'temporary tables', needs: 'schema', look: onDatabase(lookAtTemporaryRights) },
  {
    name: 'channels',
    needs: 'schema',
    look: onDatabase(async (_, patient, url) => lookAtChannels(patient, url)),
  },
]

type Look = (db: Db, patient: Patient, url: string) => Promise<Finding>

function onDatabase(look: Look): Check['look'] {
  return async (patient) => {
    const { databaseUrl } = patient
    if (databaseUrl === null) return warn('not running', 'Start Beckon with npm start, or set DATABASE_URL.')
    return withOwner(databaseUrl, async (owner) => look(owner, patient, databaseUrl))
  }
}

async function lookAtServer(db: Db): Promise<Finding> {
  const { version, versionNumber, databaseBytes } = await loadServerFacts(db)
  const detail = `PostgreSQL ${version}, ${sizeOf(databaseBytes)}`
  return versionNumber >= VERSION_MIN ? good(detail) : bad(detail, 'Beckon needs PostgreSQL 18 or newer.')
}

async function lookAtDurability(db: Db): Promise<Finding> {
  const { unsafeSettings } = await loadServerFacts(db)
  if (unsafeSettings.length === 0) return good('acknowledged requests survive a power cut')
  return bad(
    unsafeSettings.join(', '),
    'Turn these on in postgresql.conf, or lose acknowledged requests in a crash.',
  )
}

/** A server that stands alone and has no standbys is not asked for any. */
async function lookAtReplication(db: Db, _: Patient, url: string): Promise<Finding> {
  const state = judgeReplication(await loadReplication(db), readDatabaseUrl(url).servers.length)
  switch (state.kind) {
    case 'none':
      return good('one server, no standbys')
    case 'safe':
      return good(state.detail)
    case 'trouble':
    case 'reduced':
    case 'unseen':
      return warn(state.detail, state.advice)
    default:
      return unreachable(state)
  }
}

/** The line for the start when acknowledged requests are not known to be on two machines; null when there is nothing to say. */
export async function describeReplication(url: string): Promise<string | null> {
  const facts = await withOwner(url, loadReplication)
  const advice = adviseReplication(judgeReplication(facts, readDatabaseUrl(url).servers.length))
  return advice === null ? null : `Replication: ${advice}`
}

async function lookAtSchema(db: Db): Promise<Finding> {
  const [found, needed] = [await schemaVersion(db), latestVersion()]
  if (found === needed) return good(`version ${found}`)
  if (found < needed) return bad(`version ${found} of ${needed}`, 'Run bin/beckon migrate, or npm start.')
  return bad(`version ${found}, newer than the ${needed} known here`, 'Start the newer Beckon.')
}

async function lookAtConnections(db: Db, { config }: Patient, url: string): Promise<Finding> {
  const { connectionsMax } = await loadServerFacts(db)
  const wanted = connectionsWanted({ ...config, isWatched: isWatched(url) })
  const detail = `${wanted} of ${connectionsMax} at most`
  if (wanted <= connectionsMax) return good(detail)
  return warn(detail, 'Raise max_connections of PostgreSQL, or lower BECKON_DATABASE_CONNECTIONS.')
}

async function lookAtClock(db: Db): Promise<Finding> {
  const askedAt = Date.now()
  const { now } = await loadServerFacts(db)
  const skewMs = Math.abs(now - (askedAt + Date.now()) / 2)
  const detail = `${Math.round(skewMs)} ms from the database's`
  return skewMs <= SKEW_MAX_MS
    ? good(detail)
    : warn(detail, 'Run a time service (chrony, ntpd) on both machines.')
}

async function lookAtSending(db: Db): Promise<Finding> {
  const since = await loadHold(db)
  if (since === null) return good('not held')
  return warn(
    `held since ${new Date(since).toISOString()}`,
    'Run bin/beckon resume to continue sending; see bin/beckon resume --help.',
  )
}

/** Events without rows are brought into a temporary table. Everybody may make one, unless the operator has taken the right away. */
async function lookAtTemporaryRights(db: Db, { config }: Patient): Promise<Finding> {
  if (config.eventRowsDays === null) return good('not needed: all events have rows')
  const { database, lacking } = await loadTemporaryRights(db)
  if (lacking.length === 0) return good('old events can be read')
  const roles = lacking.join(', ')
  return bad(
    `not allowed for ${roles}`,
    `As the owner of the database, run: grant temporary on database ${database} to ${roles}; Without it, events without rows cannot be read.`,
  )
}
