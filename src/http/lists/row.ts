import type { Result } from '../../domain/result.ts'

/** One row of a list that arrives as a stream, and where it stood; a row that cannot be read says why. */
export type ListRow = { readonly line: number; readonly body: Result<unknown> }
