export type ProcessCounts = {
  readonly apiProcesses: number
  readonly workerProcesses: number
  /** BECKON_DATABASE_CONNECTIONS. */
  readonly databaseConnections: number
  /** Whether a connection of each process watches the servers of DATABASE_URL (`isWatched`). */
  readonly isWatched: boolean
}

/** The most connections that the processes of one machine, and all else, have to the primary. docs/cluster.md has the same sum. */
export function connectionsWanted({ apiProcesses, workerProcesses, ...each }: ProcessCounts): number {
  const { ofApi, ofWorker } = connectionsOfProcess(each)
  return CONNECTIONS_BESIDE + apiProcesses * ofApi + workerProcesses * ofWorker
}

/** The most connections of one process. Queues are used by workers only. */
function connectionsOfProcess({
  databaseConnections: each,
  isWatched,
}: Pick<ProcessCounts, 'databaseConnections' | 'isWatched'>) {
  const ofTeam = Math.min(each, TEAM_CONNECTIONS_MAX)
  const ofWatch = isWatched ? WATCHING : 0
  const ofApi = POOLS * each + ofTeam + LISTENING + ofWatch
  return { ofApi, ofWorker: ofApi + Math.min(each, QUEUE_CONNECTIONS_MAX) }
}

/** The most connections of a process for `Database.queue` and `asQueue`. Their statements are short and many at a time. */
export const QUEUE_CONNECTIONS_MAX = 6

/** People sign in rarely, and their sessions are cached. */
export const TEAM_CONNECTIONS_MAX = 3

/** One pool for brands and one for the engine. */
const POOLS = 2
/** A connection listens for notifications of the database, and another watches whether the primary answers, and which server it is. */
const [LISTENING, WATCHING] = [1, 1]
/** For a command or a backup, a start, the upkeep of tables, a Patroni, and those that PostgreSQL reserves. */
const CONNECTIONS_BESIDE = 20
