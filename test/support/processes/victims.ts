import { databaseFolder } from '../../../src/runtime/postgres/bring-up.ts'
import { findServer } from '../../../src/runtime/postgres/find-server.ts'
import type { Dice } from '../dice.ts'
import { until } from '../until.ts'
import { crewOf, type RunningBeckon } from './beckon.ts'

/** Who can be killed. A supervisor takes its processes with it, and the machine also the database. */
export type Victim = 'worker' | 'api' | 'database' | 'supervisor' | 'machine'

export type Scene = { readonly beckon: RunningBeckon; readonly folder: string; readonly dice: Dice }

/** The processes to kill. Whoever just died is waited for: each kill hits somebody. */
export async function findVictim(
  victim: Victim,
  { beckon, folder, dice }: Scene,
): Promise<readonly number[]> {
  if (victim === 'supervisor') return [beckon.pid]
  const found: number[] = []
  await until(
    async () => {
      const pid = victim === 'worker' || victim === 'api' ? await findCrew() : await findDatabase()
      if (pid !== undefined) found.push(pid)
      return pid !== undefined
    },
    { what: `a ${victim} to kill` },
  )
  return victim === 'machine' ? [beckon.pid, ...found] : found

  async function findCrew(): Promise<number | undefined> {
    const crew = await crewOf(beckon.pid)
    return dice.pick(crew.filter(({ command }) => command.includes(` ${victim} --name`)))?.pid
  }

  async function findDatabase(): Promise<number | undefined> {
    return (await findServer(databaseFolder(folder)))?.pid
  }
}
