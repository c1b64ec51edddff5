import type { Config } from '../config.ts'

/** The result of one check. `advice` says what to do about it. */
export type Finding =
  | { readonly state: 'good'; readonly detail: string }
  | { readonly state: 'warn' | 'bad'; readonly detail: string; readonly advice: string }

/** One row of the doctor's list. A check that throws is a bad finding in itself. */
export type Check = {
  readonly name: string
  /** The check that has to be good before this one says anything new. */
  readonly needs?: string
  /** The time of a check that reads much; that of all others is short. */
  readonly lookMsMax?: number
  readonly look: (patient: Patient) => Promise<Finding>
}

export type Patient = {
  readonly config: Config
  /** The address of the database, or null when none is set and none runs on the data folder. */
  readonly databaseUrl: string | null
}

export function good(detail: string): Finding {
  return { state: 'good', detail }
}

export function warn(detail: string, advice: string): Finding {
  return { state: 'warn', detail, advice }
}

export function bad(detail: string, advice: string): Finding {
  return { state: 'bad', detail, advice }
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3

export function sizeOf(bytes: number | bigint): string {
  const count = Number(bytes)
  return count < GIB ? `${Math.round(count / MIB)} MiB` : `${(count / GIB).toFixed(1)} GiB`
}
