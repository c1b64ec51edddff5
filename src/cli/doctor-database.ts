import { unreachable } from '../domain/unreachable.ts'
import { openPlace } from '../intake/event-files/open-place.ts'
import { findLost } from '../intake/event-files/sweep.ts'
import { reasonOf } from '../runtime/errors.ts'
import { connectionsWanted } from '../store/connections-wanted.ts'
import { type Db, withOwner } from '../store/db.ts'
import { listFiles } from '../store/event-files/manifest.ts'
import { latestVersion, schemaVersion } from '../store/migrate.ts'
import { loadHold } from '../store/push/sending-hold.ts'
import { adviseReplication, judgeReplication, loadReplication } from '../store/replication.ts'
import { loadServerFacts, loadTemporaryRights } from '../store/server-facts.ts'
import { readDatabaseUrl } from '../store/session-settings.ts'
import { lookAtChannels } from './doctor-channels.ts'
import { bad, type Check, type Finding, good, type Patient, sizeOf, warn } from './doctor-check.ts'
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
  { name: 'event files', needs: 'schema', look: onDatabase(lookAtEventFiles) },
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
  const wanted = connectionsWanted({ ...config, serversCount: readDatabaseUrl(url).servers.length })
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

/** Looks for each listed file of frozen events, and at its size. */
async function lookAtEventFiles(db: Db, { config }: Patient): Promise<Finding> {
  await db.query('begin read only; set local role beckon_engine')
  const listed = await listFiles(db)
  await db.query('commit')
  const opened = openPlace(config)
  if (opened === null) {
    if (listed.length === 0) return good('weeks are not frozen')
    if (listed.some(({ isAlone }) => isAlone))
      return bad(
        `${listed.length} files, and no place for them`,
        'Set BECKON_EVENT_FILES_DIR or BECKON_EVENT_FILES_URL here too. Some events are in files only, and cannot be read.',
      )
    return warn(
      `${listed.length} files, and no place for them`,
      'Set BECKON_EVENT_FILES_DIR or BECKON_EVENT_FILES_URL here too. Until then events are read from their rows.',
    )
  }
  const { place, store } = opened
  const found = await place.list().catch((cause: unknown) => reasonOf(cause))
  store?.close()
  if (typeof found === 'string')
    return warn(found, 'Look at the place of event files. Until then events are read from their rows.')
  const lost = findLost(listed, found)
  const bytes = listed.reduce((sum, file) => sum + Number(file.bytes), 0)
  const alone = listed.filter(({ isAlone }) => isAlone)
  const only = alone.length === 0 ? '' : `; ${alone.length} have the only copy of their events`
  if (lost.length === 0) return good(`${listed.length} files, ${sizeOf(bytes)}${only}`)
  const gone = alone.find(({ path }) => lost.includes(path))
  if (gone !== undefined)
    return bad(
      `${lost.length} of ${listed.length} files are missing or damaged, such as ${gone.path}, which has the only copy of its events`,
      'Bring the file back from a copy of the folder or bucket of event files.',
    )
  return warn(
    `${lost.length} of ${listed.length} files are missing or damaged, such as ${lost[0]}`,
    'Look at the folder or bucket of event files. A worker writes such files anew; no event is lost.',
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
