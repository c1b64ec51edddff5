import { readdirSync, readFileSync } from 'node:fs'

/** A process of a tree, and the CPU time of it and of its children that have ended, in milliseconds. */
export type TreeCpu = { readonly pid: number; readonly name: string; readonly ms: number }

/** The CPU time of a process and of all that it started, by process; none where there is no /proc. */
export function treeCpu(rootPid: number): readonly TreeCpu[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess)
  const found = new Set([rootPid])
  // A child may have a smaller number than its parent, so that one pass is not enough.
  for (let count = 0; count < found.size; ) {
    count = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

/** The CPU time of one thread of a process, in milliseconds; 0 once it has ended. */
export function threadMs({ pid, thread }: { readonly pid: number; readonly thread: string }): number {
  try {
    const fields = fieldsOf(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))
    return fields.slice(11, 13).reduce((sum, field) => sum + Number(field), 0) * TICK_MS
  } catch {
    return 0
  }
}

function readProcess(pid: string): readonly (TreeCpu & { readonly parent: number })[] {
  try {
    const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    const name = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return [{ pid: Number(pid), parent: Number(fields[1]), name, ms: ticks * TICK_MS }]
  } catch {
    return [] // the process has ended since it was listed
  }
}

/** The program's name stands in brackets and may hold anything, so the fields are counted from its end. */
function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10
