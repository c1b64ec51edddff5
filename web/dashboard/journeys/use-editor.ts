import { useDebouncedValue } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { BeckonError } from '../../client/failure.ts'
import type { ReplyOf } from '../kit/call.ts'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { bodyOf, type Draft, draftOf } from './draft.ts'
import { isSame } from './graph.ts'

export type Journey = ReplyOf<'GET /api/v1/journeys/{journey_id}'>['journey']
export type Fault = BeckonError['errors'][number]

/** A journey that is being drawn. `journey` is what is saved; null for a new one. */
export type Editor = {
  readonly journey: Journey | null
  readonly draft: Draft
  readonly change: (draft: Draft) => void
  /** Takes the last change back; null when there is none. */
  readonly undo: (() => void) | null
  readonly isDirty: boolean
  readonly mayEdit: boolean
  readonly faults: readonly Fault[]
}

const PAST_MAX = 100
const TYPING_MS = 350

export function useEditor(journey: Journey | null, begun: Draft): Editor {
  const [draft, setDraft] = useState(begun)
  const [past, setPast] = useState<readonly Draft[]>([])
  const mayChange = useMay('journeys')
  const mayDraft = useMay('draft')
  const isDraft = journey === null || journey.state === 'draft'
  const mayEdit = (mayChange && journey?.state !== 'archived') || (mayDraft && isDraft)
  const [former] = past.slice(-1)
  return {
    journey,
    draft,
    change: (changed) => {
      setPast([...past.slice(-PAST_MAX), draft])
      setDraft(changed)
    },
    undo:
      former === undefined
        ? null
        : () => {
            setPast(past.slice(0, -1))
            setDraft(former)
          },
    isDirty: journey === null || !isSame(bodyOf(draft), bodyOf(draftOf(journey))),
    mayEdit,
    faults: useFaults(draft, mayEdit),
  }
}

/** The objections of the API to the draft, a moment after the last change. The former answer stands until the next is there. */
function useFaults(draft: Draft, isEnabled: boolean): readonly Fault[] {
  const [settled] = useDebouncedValue(draft, TYPING_MS)
  const body = Object(bodyOf(settled))
  const { name, ...document } = body
  const checked = useRead('POST /api/v1/journeys/validate', { body: document }, { isEnabled })
  const known = useRef<readonly Fault[]>([])
  if (checked.data !== undefined) known.current = []
  if (checked.error instanceof BeckonError) known.current = checked.error.errors
  const isNamed = String(name).trim() !== ''
  return isNamed ? known.current : [...known.current, UNNAMED]
}

/** The name is not part of what is validated, and a journey is saved with one. */
const UNNAMED: Fault = { field: 'name', code: 'journey_invalid', message: 'The journey needs a name.' }
