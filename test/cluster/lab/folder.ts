import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder of the lab, outside of the repository and kept between runs: the root file system (about 550 MB), the disks
 * and logs of the machines, and the results.
 */
export const LAB = process.env['BECKON_CLUSTER_LAB_DIR'] || '/var/lib/beckon-cluster-lab'

/** A Debian with PostgreSQL, Patroni, etcd and HAProxy, which all machines share. */
export const ROOT = join(LAB, 'root')
export const DISKS = join(LAB, 'disks')
export const LOGS = join(LAB, 'logs')
export const RESULTS = join(LAB, 'results.jsonl')
/** The logs of rounds that were not good. */
export const FAILED = join(LAB, 'failed')

/** Why the lab cannot run here; null if it can. */
export function missing(): string | null {
  if (process.getuid?.() !== 0) return 'the cluster lab needs root, for namespaces and mounts'
  if (!existsSync(join(ROOT, 'usr/bin/patroni'))) {
    return `no root file system in ${ROOT}: npm run test:cluster makes it from Debian packages`
  }
  return null
}
