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
    .reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0)
}

function statOf(name: string): { readonly pid: number; readonly parent: number; readonly ticks: number } {
  const stat = readStat(name)
  // The program's name stands in brackets and may hold anything, so the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
}

/** A process may end between the listing and the look. */
function readStat(name: string): string {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8')
  } catch {
    return ') Z 0 0 0 0 0 0 0 0 0 0 0 0'
  }
}
