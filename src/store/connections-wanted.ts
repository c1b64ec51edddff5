export type ProcessCounts = {
  readonly apiProcesses: number
  readonly workerProcesses: number
  /** BECKON_DATABASE_CONNECTIONS. */
  readonly databaseConnections: number
  /** How many servers DATABASE_URL names. */
  readonly serversCount: number
}

/** The most connections that the processes of one machine, and all else, have to the primary. docs/cluster.md has the same sum. */
export function connectionsWanted({ apiProcesses, workerProcesses, ...each }: ProcessCounts): number {
  const { ofApi, ofWorker } = connectionsOfProcess(each)
  return CONNECTIONS_BESIDE + apiProcesses * ofApi + workerProcesses * ofWorker
}

/** The most connections of one process. Queues are used by workers only. */
function connectionsOfProcess({
  databaseConnections: each,
  serversCount,
}: Pick<ProcessCounts, 'databaseConnections' | 'serversCount'>) {
  const ofTeam = Math.min(each, TEAM_CONNECTIONS_MAX)
  const ofWatch = serversCount > 1 ? WATCHING : 0
  const ofApi = POOLS * each + ofTeam + LISTENING + ofWatch
  return { ofApi, ofWorker: ofApi + Math.min(each, QUEUE_CONNECTIONS_MAX) }
}

/** The most connections of a process for `Database.queue` and `asQueue`. Their statements are short and many at a time. */
export const QUEUE_CONNECTIONS_MAX = 6

/** People sign in rarely, and their sessions are cached. */
export const TEAM_CONNECTIONS_MAX = 3

/** One pool for brands and one for the engine. */
const POOLS = 2
/** A connection listens for notifications of the database, and another watches which of several servers is the primary. */
const [LISTENING, WATCHING] = [1, 1]
/** For a command or a backup, a start, the upkeep of tables, a Patroni, and those that PostgreSQL reserves. */
const CONNECTIONS_BESIDE = 20
