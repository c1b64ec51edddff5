import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { StartError } from '../errors.ts'
import { loadAccounts, type OsAccount } from './accounts.ts'
import type { Binaries } from './binaries.ts'
import { type Launch, type ProgramOutcome, runProgram } from './program.ts'
import { publicCopy } from './public-copy.ts'

/** A way to run PostgreSQL that may or may not work here; trying it tells. */
type Candidate = () => Promise<Launch>
type Owner = Pick<OsAccount, 'uid' | 'gid'>

/**
 * Decides as whom PostgreSQL runs. It refuses root, so root borrows a name: in a user namespace, where files stay
 * root's own, or else by handing the process and the files to another user of the machine. Data that already has
 * an owner keeps it.
 */
export async function chooseLaunch(binaries: Binaries, dataFolder: string): Promise<Launch> {
  const owner = await ownerOf(dataFolder)
  const self = process.getuid?.() ?? 0
  if (self !== 0 && owner !== null && owner.uid !== self) throw foreignData(dataFolder, owner)

  const complaints: string[] = []
  for (const candidate of await listCandidates(binaries, { isRoot: self === 0, owner })) {
    const launch = await candidate()
    const trial = await tryOut(launch)
    if (trial.isDone) return launch
    complaints.push(trial.output.trim().split('\n').at(-1) ?? '')
  }
  throw noWay(complaints)
}

async function tryOut(launch: Launch): Promise<ProgramOutcome> {
  return runProgram(launch, 'postgres', { folder: '/', args: ['--version'] })
}

async function ownerOf(dataFolder: string): Promise<Owner | null> {
  // A folder that is not there yet has no owner; whatever else is wrong with it shows when it is made.
  return stat(dataFolder).catch(() => null)
}

async function listCandidates(
  binaries: Binaries,
  { isRoot, owner }: { readonly isRoot: boolean; readonly owner: Owner | null },
): Promise<readonly Candidate[]> {
  if (!isRoot && hasName()) return [async () => ({ home: binaries.home, prefix: [], account: null })]
  if (isRoot && owner !== null && owner.uid !== 0) return [asAccount(binaries, owner)]

  const accounts = await loadAccounts()
  const nobody = isRoot ? accounts.find(({ name }) => name === 'nobody') : undefined
  return [
    ...inNamespace(binaries, accounts.at(0)),
    ...(nobody === undefined ? [] : [asAccount(binaries, nobody)]),
  ]
}

/** Whether this user is in the machine's list: `initdb` asks for the name, and a bare number has none. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    // Node tells of a missing entry by throwing; containers started with a user number have none.
    return false
  }
}

/** Inside, we carry some ordinary user's name; outside, processes and files stay our own. */
function inNamespace(binaries: Binaries, borrowed: OsAccount | undefined): readonly Candidate[] {
  if (process.platform !== 'linux' || borrowed === undefined) return []
  const maps = [`--map-user=${borrowed.uid}`, `--map-group=${borrowed.gid}`]
  return [async () => ({ home: binaries.home, prefix: ['unshare', '--user', ...maps, '--'], account: null })]
}

/** Another user may be barred from the folder npm installed into; then the programs are copied to where it can go. */
function asAccount(binaries: Binaries, account: Owner): Candidate {
  return async () => {
    const launch: Launch = { home: binaries.home, prefix: [], account }
    const { isBarred } = await tryOut(launch)
    return isBarred ? { ...launch, home: await publicCopy(binaries) } : launch
  }
}

function foreignData(dataFolder: string, owner: Owner): StartError {
  return new StartError(
    `The database in ${dataFolder} belongs to user id ${owner.uid}: start Beckon as that user, ` +
      'or choose another BECKON_DATA_DIR.',
  )
}

function noWay(complaints: readonly string[]): StartError {
  return new StartError(
    `PostgreSQL cannot run here (${complaints.join('; ') || 'no user to run it as'}): ` +
      'start Beckon as an ordinary user, or set DATABASE_URL to use your own PostgreSQL 18.',
  )
}
