import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../../src/runtime/errors.ts'

/** The folder of Linux whose files are in memory only. */
const MEMORY = '/dev/shm'

/** More than all temporary files of a run at one time, with room for the browsers and servers beside them. */
const ROOM_BYTES = 4 * 1024 ** 3

const PREFIX = 'beckon-tests-'

/**
 * Gives this process, and all that it starts, a folder of its own for temporary files: in memory if there is room. A disk costs a
 * run minutes, since each database of a test has a thousand files, and each browser a profile. The answer removes the folder.
 */
export async function useTemporaryFolder(): Promise<() => Promise<void>> {
  for (const place of [MEMORY, tmpdir()]) await removeLeftovers(place)
  const folder = await mkdtemp(join((await hasRoom()) ? MEMORY : tmpdir(), `${PREFIX}${process.pid}-`))
  // As root, PostgreSQL runs as another user, who looks for its files in here.
  await chmod(folder, 0o1777)
  process.env['TMPDIR'] = folder
  return async () => rm(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function hasRoom(): Promise<boolean> {
  if (process.platform !== 'linux' || freemem() < ROOM_BYTES) return false
  const mount = (await readFile('/proc/mounts', 'utf8'))
    .split('\n')
    .find((line) => line.includes(` ${MEMORY} `))
  // Some tests write a program and run it.
  if (mount === undefined || mount.includes('noexec')) return false
  const { bavail, bsize } = await statfs(MEMORY)
  return bavail * bsize >= ROOM_BYTES
}

/** A run that was killed could not clean up. A PostgreSQL that is left ends by itself when its files are gone. */
async function removeLeftovers(place: string): Promise<void> {
  const names = await readdir(place).catch(() => [])
  for (const name of names) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(place, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // Somebody else's process is alive, and its files are not ours to remove.
    return errorCode(cause) !== 'ESRCH'
  }
}
