import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The end of the folder's name. The beginning is the number of the process. */
export const SPILLED = '-spilled'

/** The folder for what does not fit into the memory of a DuckDB process. */
export function spilledFolder(scratch: string, pid: number): string {
  return join(scratch, `${pid}${SPILLED}`)
}

/** Removes what a killed process left. The start of an API process removes what cannot be removed now. */
export async function removeSpilled(scratch: string | undefined, pid: number | undefined): Promise<void> {
  if (scratch === undefined || pid === undefined) return
  await rm(spilledFolder(scratch, pid), { recursive: true, force: true }).catch(() => undefined)
}
