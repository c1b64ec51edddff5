import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of this process and of a server with all of its children, in milliseconds; 0 where there is no /proc. */
export function cpuMs(serverPid: number): { readonly own: number; readonly server: number } {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1000, server: serverMs(serverPid) }
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

function serverMs(serverPid: number): number {
  if (process.platform !== 'linux') return 0
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(({ pid, parent }) => pid === serverPid || parent === serverPid)
    .reduce(
      (sum, { pid, ticks, endedTicks }) => sum + (ticks + (pid === serverPid ? endedTicks : 0)) * TICK_MS,
      0,
    )
}

type Stat = {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
  /** Of children that have ended, such as connections that were closed. */
  readonly endedTicks: number
}

function statOf(name: string): Stat {
  const stat = readStat(name)
  // The program's name stands in brackets and may hold anything, so the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [own, ownSystem, ended, endedSystem] = fields.slice(11, 15).map(Number)
  return {
    pid: Number(name),
    parent: Number(fields[1]),
    ticks: (own ?? 0) + (ownSystem ?? 0),
    endedTicks: (ended ?? 0) + (endedSystem ?? 0),
  }
}

/** A process may end between the listing and the look. */
function readStat(name: string): string {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8')
  } catch {
    return ') Z 0 0 0 0 0 0 0 0 0 0 0 0 0 0'
  }
}
