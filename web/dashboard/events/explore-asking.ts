import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { encodeJson } from '../../client/json.ts'
import { callInLines, type ReplyOf } from '../kit/call.ts'
import { QUERIES, readKey, useRead } from '../kit/queries.ts'
import type { Question } from './explore-question.ts'

const ENDPOINT = 'POST /api/v1/events/query'
type Answered = ReplyOf<typeof ENDPOINT>

export type Estimate = NonNullable<Answered['estimate']>
export type Progress = NonNullable<Answered['progress']>

/** `asking` → `answered`; `stopped` by the reader; `held` because it would take too long. The reader can ask again from both. */
export type AskingState = 'asking' | 'answered' | 'stopped' | 'held'

export type Asking = {
  readonly found: UseQueryResult<Answered>
  readonly state: AskingState
  readonly estimate: Estimate | undefined
  /** Null until the first line came. */
  readonly progress: Progress | null
  readonly stop: () => void
  readonly askAnyway: () => void
}

/** Asks a question once its cost is known, tells how far it is, and can stop it. */
export function useAsking(body: Question): Asking {
  const question = encodeJson(body)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [stopped, setStopped] = useState('')
  const [forced, setForced] = useState('')
  const cost = useRead(ENDPOINT, { body: { ...body, dry_run: true } })
  const estimate = cost.data?.estimate
  const isStopped = stopped === question
  const isHeld = estimate?.is_above_limit === true && forced !== question
  const queryKey = readKey(ENDPOINT, { body })
  const found = useQuery<Answered>({
    queryKey,
    queryFn: async ({ signal }) => {
      setProgress(null)
      const onLine = (line: Answered): void => {
        if (!signal.aborted) setProgress(line.progress ?? null)
      }
      return callInLines(ENDPOINT, { body: { ...body, progress: true } }, { signal, onLine })
    },
    // A question whose cost cannot be told is asked too: its refusal says what is wrong with it.
    enabled: !cost.isPending && !isStopped && !isHeld,
    placeholderData: keepPreviousData,
  })
  return {
    found,
    state: stateOf({ isStopped, isHeld, isFetching: cost.isPending || found.isFetching }),
    estimate,
    progress,
    stop: () => {
      setStopped(question)
      void QUERIES.cancelQueries({ queryKey })
    },
    askAnyway: () => {
      setStopped('')
      setForced(question)
    },
  }
}

type Facts = { readonly isStopped: boolean; readonly isHeld: boolean; readonly isFetching: boolean }

function stateOf({ isStopped, isHeld, isFetching }: Facts): AskingState {
  if (isStopped) return 'stopped'
  if (isHeld) return 'held'
  return isFetching ? 'asking' : 'answered'
}
