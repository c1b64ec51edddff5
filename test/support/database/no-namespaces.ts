import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs a program as a root that may make no user namespaces, as in many containers. It runs in a namespace of its
 * own, the last one allowed there, in which the first `users` user numbers mean the same as outside. Needs root.
 */
export async function spawnWithoutNamespaces(users: number, line: readonly string[]): Promise<ChildProcess> {
  const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces'
  const script = `read go; sh -c '${forbid}'; exec "$@"`
  const child = spawn('unshare', ['--user', 'sh', '-c', script, 'sh', ...line], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  await untilApart(child.pid ?? 0)
  for (const map of ['uid_map', 'gid_map']) await writeFile(`/proc/${child.pid}/${map}`, `0 0 ${users}`)
  child.stdin.end('go\n')
  return child
}

/** Until `unshare` has made the namespace and become the shell that waits in it. */
async function untilApart(pid: number): Promise<void> {
  while ((await readFile(`/proc/${pid}/comm`, 'utf8')).trim() !== 'sh') await wait(1)
}
