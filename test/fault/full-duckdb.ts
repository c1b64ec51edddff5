import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A program in place of Node for the processes of DuckDB alone: the kernel refuses each of their writes beyond a size of a file, as a
 * full disk would. All other processes write what they want, so that the refused file is the Parquet.
 */
export async function makeFullDuckDb(): Promise<{
  readonly program: string
  readonly remove: () => Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-full-duckdb-'))
  const program = join(folder, 'node')
  // A signal that is ignored stays so: the write fails, and the process goes on.
  const lines = ['#!/bin/sh', "trap '' XFSZ", `ulimit -f ${BLOCKS}`, `exec '${process.execPath}' "$@"`]
  await writeFile(program, `${lines.join('\n')}\n`)
  await chmod(program, 0o700)
  return { program, remove: async () => rm(folder, { recursive: true }) }
}

/** The log of a refused write of an event file. */
export const FULL_PARQUET = /parquet\.part.{1,9}File too large/

/** Of 512 bytes each: less than any event file has. */
const BLOCKS = 2
