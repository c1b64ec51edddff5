import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { encodeJson } from '../../client/json.ts'
import { callInLines, type Input, type ReplyOf } from '../kit/call.ts'
import { QUERIES, readKey, useRead } from '../kit/queries.ts'

/** The questions whose cost can be told before, and which tell how far they are. */
type AskedEndpoint =
  | 'POST /api/v1/events/query'
  | 'POST /api/v1/events/funnel'
  | 'GET /api/v1/events/retention'
  | 'GET /api/v1/events/paths'

export type Estimate = NonNullable<ReplyOf<AskedEndpoint>['estimate']>
export type Progress = NonNullable<ReplyOf<AskedEndpoint>['progress']>

/** `asking` → `answered`; `stopped` by the reader; `held` because it would take too long. The reader can ask again from both. */
type AskingState = 'asking' | 'answered' | 'stopped' | 'held'

/** How far a question is, and what the reader can do about it. */
export type Asking = {
  readonly state: AskingState
  readonly estimate: Estimate | undefined
  /** Null until the first line came. */
  readonly progress: Progress | null
  readonly stop: () => void
  readonly askAnyway: () => void
}

type Found<Name extends AskedEndpoint> = Pick<UseQueryResult<ReplyOf<Name>>, 'error' | 'refetch'> & {
  /** The answer, or the former one while the next is on its way. */
  readonly reply: ReplyOf<Name> | undefined
  /** When the answer came, in milliseconds; 0 without one. */
  readonly readAt: number
}

/** The fields that a question has beside its own. */
type How = { readonly dry_run?: true; readonly progress?: true }

/** Asks a question once its cost is known, tells how far it is, and can stop it. */
export function useAsking<Name extends AskedEndpoint>(
  endpoint: Name,
  inputWith: (how: How) => Input<Name>,
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
): Asking & { readonly found: Found<Name> } {
  const question = encodeJson(inputWith({}))
  const [progress, setProgress] = useState<Progress | null>(null)
  const [stopped, setStopped] = useState('')
  const [forced, setForced] = useState('')
  const cost = useRead(endpoint, inputWith({ dry_run: true }), { isEnabled })
  const estimate = cost.data?.estimate
  const isStopped = stopped === question
  const isHeld = estimate?.is_above_limit === true && forced !== question
  const queryKey = readKey(endpoint, inputWith({}))
  const found = useQuery<ReplyOf<Name>>({
    queryKey,
    queryFn: async ({ signal }) => {
      setProgress(null)
      const onLine = (line: ReplyOf<Name>): void => {
        if (!signal.aborted) setProgress(line.progress ?? null)
      }
      return callInLines(endpoint, inputWith({ progress: true }), { signal, onLine })
    },
    // A question whose cost cannot be told is asked too: its refusal says what is wrong with it.
    enabled: isEnabled && !cost.isPending && !isStopped && !isHeld,
    placeholderData: keepPreviousData,
  })
  const isFetching = isEnabled && (cost.isPending || found.isFetching)
  // The former answer does not stand for a question that nobody is asking.
  const isFormer = found.isPlaceholderData && !isFetching
  return {
    found: {
      error: found.error,
      refetch: found.refetch,
      reply: isFormer ? undefined : found.data,
      readAt: isFormer ? 0 : found.dataUpdatedAt,
    },
    state: stateOf({ isStopped, isHeld, isFetching }),
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
