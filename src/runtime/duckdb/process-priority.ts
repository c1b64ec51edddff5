import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** Makes the kernel end this process before Beckon or PostgreSQL if the machine runs out of memory. */
export function preferForOutOfMemory(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // A container may forbid it, and the process may be gone already. Its own limits hold in any case.
  }
}

/** Gives a process the lowest priority before its threads begin: each has the priority of the thread that makes it. */
export function leaveTheCpu(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // A container may forbid it, and the process may be gone already. Then it has the CPU that everybody has.
  }
}

/**
 * Lets a process run only when nobody else wants the CPU (`SCHED_IDLE`): with the lowest priority alone, its threads kept others
 * waiting. To be called when the process is ready, because on a busy machine it might not become ready in time after this.
 */
export function takeIdleCpu(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return
  try {
    // If the program is not there, or may not, the lowest priority is what there is.
    execFile('chrt', ['-a', '-i', '-p', '0', String(pid)], { env: {} }, () => undefined)
  } catch {
    // The machine has no memory to start a program. The lowest priority is what there is then, too.
  }
}
