/** How a DuckDB process is started: the only argument of its program, written in JSON. */
export type DuckDbPlan = {
  /** The only folder whose files DuckDB may open … */
  readonly folder: string
  /** … but for this one, if it is given. */
  readonly scratch?: string
  /** The most memory of the whole process. */
  readonly memoryMib: number
  readonly threads: number
  /** With `read`, only one statement that selects is run. */
  readonly access: 'read' | 'write'
}

/** A value of a statement. Lists are written as JSON and taken apart in SQL. */
export type DuckDbValue = string | number | bigint | boolean | null

export type DuckDbStatement = {
  readonly sql: string
  readonly values?: readonly DuckDbValue[]
}

export type MessageToDuckDb =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly statement: DuckDbStatement
      readonly rowsMax: number
      readonly tellsProgress: boolean
    }
  /** Give up the running statement. */
  | { readonly kind: 'interrupt' }

/** A value of an answer. Integers of 64 bits, decimals and instants are text, so that no digit is lost. */
export type DuckDbCell = string | number | boolean | null | readonly unknown[] | object

/** Why a statement has no answer. */
export type DuckDbTrouble =
  /** The statement is not one that this process runs, or names a file outside of the folder. */
  | 'refused'
  /** The statement needs more memory than there is. */
  | 'memory'
  /** The statement was interrupted. */
  | 'interrupted'
  /** The answer of the statement has too many rows. */
  | 'rows'
  /** Anything else: a mistake in the statement, a broken file. */
  | 'failed'

export type MessageFromDuckDb =
  | { readonly kind: 'ready' }
  /** The part of the statement's work that is done, from 0 to 1, as DuckDB estimates it. */
  | { readonly kind: 'progress'; readonly id: number; readonly share: number }
  | (DuckDbReply & {
      /** The process frees memory now, and tells by `rested` when it can run the next statement. */
      readonly rests: boolean
    })
  /** A process that is worn still keeps too much memory of former statements. */
  | { readonly kind: 'rested'; readonly isWorn: boolean }

export type DuckDbReply =
  | { readonly kind: 'answer'; readonly id: number; readonly rows: readonly (readonly DuckDbCell[])[] }
  | {
      readonly kind: 'trouble'
      readonly id: number
      readonly trouble: DuckDbTrouble
      readonly message: string
    }

/** The exit code of a process that ended itself because it grew beyond its memory. */
export const EXIT_MEMORY = 86
