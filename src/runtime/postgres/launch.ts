import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { StartError } from '../errors.ts'
import { loadAccounts, type OsAccount } from './accounts.ts'
import type { Binaries } from './binaries.ts'
import { type Launch, type ProgramOutcome, runProgram } from './program.ts'
import { publicCopy } from './public-copy.ts'

/** A way to run PostgreSQL, which a trial run proves or refuses. */
type Candidate = () => Promise<Launch>
type Owner = Pick<OsAccount, 'uid' | 'gid'>

/**
 * Decides as which user PostgreSQL runs. PostgreSQL refuses root, so root runs it as another user: in a user namespace,
 * where the files stay root's, or otherwise as the user `nobody`, who then owns the files. An existing data folder keeps
 * its owner.
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
  // A missing folder has no owner; other problems show when the folder is created.
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

/** Whether this user has a name, which `initdb` needs. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    // Node throws when the user has no name, as in containers that were started with a user number.
    return false
  }
}

/** In the namespace the process has the name of an ordinary user; outside, its processes and files stay our own. */
function inNamespace(binaries: Binaries, borrowed: OsAccount | undefined): readonly Candidate[] {
  if (process.platform !== 'linux' || borrowed === undefined) return []
  const maps = [`--map-user=${borrowed.uid}`, `--map-group=${borrowed.gid}`]
  return [async () => ({ home: binaries.home, prefix: ['unshare', '--user', ...maps, '--'], account: null })]
}

/** If the user may not read the folder of the npm package, the programs are copied to a public folder. */
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
