import { createContext } from 'react'
import type { Editor } from './use-editor.ts'

/** The facts of the page that nodes and edges of the canvas need: xyflow hands them only their own row. */
export type CanvasTools = Pick<Editor, 'draft' | 'change' | 'mayEdit'> & {
  readonly onChoose: (node: string) => void
  /** The address that lists the people at a step; null before the journey is saved. */
  readonly peopleAt: ((step: string) => string) | null
  readonly onAdded: (step: string) => void
}

export const CanvasContext = createContext<CanvasTools | null>(null)
