import { DOCUMENT_FAULTS_MAX, type DocumentRow, type DocumentRows } from '../../rules/documents.ts'
import { type Fault, fault } from '../fault.ts'
import type { Path } from './path.ts'

/** A value of a document and the path to it. */
export type Located = { readonly path: Path; readonly value: unknown }

/**
 * The state of one walk through a document. A document that Beckon stored is not judged: it was within the bounds of
 * the day it was saved, and the bounds of today must not take it away. It is refused only where it cannot be understood.
 */
export type DocumentReading = {
  readonly faults: Fault[]
  readonly isJudged: boolean
  readonly documents: DocumentRows
  readonly kind: DocumentRow['kind']
  /** How many nodes of the present filter were visited, over all its levels, and whether that was too many. */
  readonly visited: { nodes: number; isTooMany: boolean }
  readonly depth: number
}

export function startReading(
  documents: DocumentRows,
  { kind, isJudged }: Pick<DocumentReading, 'kind' | 'isJudged'>,
): DocumentReading {
  return { faults: [], isJudged, documents, kind, visited: { nodes: 0, isTooMany: false }, depth: 0 }
}

/** Adds a fault at a path, up to a maximum number. Returns false, so that a check can end with this call. */
export function refusePart({ faults, kind }: DocumentReading, path: Path, detail: string): false {
  if (faults.length < DOCUMENT_FAULTS_MAX) faults.push(fault(`${kind}_invalid`, path, { detail }))
  return false
}

/** Notes faults that were found elsewhere, up to the same bound. */
export function refuseWith({ faults }: DocumentReading, found: readonly Fault[]): null {
  faults.push(...found.slice(0, Math.max(0, DOCUMENT_FAULTS_MAX - faults.length)))
  return null
}
