import { findServer } from '../../../src/runtime/postgres/find-server.ts'
import { databaseFolder } from '../../../src/runtime/postgres/start-server.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { until } from '../until.ts'
import { childrenOf, type RunningBeckon } from './beckon.ts'

/** The processes that a test can kill. A supervisor takes its processes with it, and the machine also the database. */
export type KillTarget = 'worker' | 'api' | 'database' | 'supervisor' | 'machine'

export type KillScene = {
  readonly beckon: RunningBeckon
  readonly folder: string
  readonly random: SeededRandom
}

/** The processes to kill. If the target has just died, this waits for its successor, so that each kill hits a process. */
export async function findKillTarget(
  target: KillTarget,
  { beckon, folder, random }: KillScene,
): Promise<readonly number[]> {
  if (target === 'supervisor') return [beckon.pid]
  const found: number[] = []
  await until(
    async () => {
      const pid = target === 'worker' || target === 'api' ? await findCrew() : await findDatabase()
      if (pid !== undefined) found.push(pid)
      return pid !== undefined
    },
    { what: `a ${target} to kill` },
  )
  return target === 'machine' ? [beckon.pid, ...found] : found

  async function findCrew(): Promise<number | undefined> {
    const children = await childrenOf(beckon.pid)
    return random.pick(children.filter(({ command }) => command.includes(` ${target} --name`)))?.pid
  }

  async function findDatabase(): Promise<number | undefined> {
    return (await findServer(databaseFolder(folder)))?.pid
  }
}
