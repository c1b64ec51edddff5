import { join } from 'node:path'
import { databaseUrl, HOME, LAB_SECRET } from './lab/apps.ts'
import { DISKS } from './lab/folder.ts'
import { HUB } from './lab/network.ts'
import { sh } from './lab/shell.ts'

export type Settings = Readonly<Record<string, string>>

/** A command of Beckon against the cluster, or where the settings say. */
export async function beckon(args: readonly string[], settings: Settings = CLUSTER): Promise<string> {
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  // A commit that waits for a standby that never comes would wait for ever.
  return sh('timeout', '120', 'env', ...given, process.execPath, join(HOME, 'src/main.ts'), ...args)
}

export const CLUSTER: Settings = {
  DATABASE_URL: databaseUrl(HUB),
  BECKON_SECRET: LAB_SECRET,
  BECKON_DATA_DIR: join(DISKS, 'command'),
}
