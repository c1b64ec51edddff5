import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { BeckonError } from '../../client/failure.ts'
import { encodeJson } from '../../client/json.ts'
import { chosenBrand } from './brand.ts'
import { type AnyInput, call, type Endpoint, type Input, type ReplyOf } from './call.ts'
import { useWish } from './wish.ts'

/** A refusal is an answer, so only failures on the way are tried again. */
export const QUERIES = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A long integer is a bigint, which the hash of the library could not write down.
      queryKeyHashFn: (key) => encodeJson(key),
      retry: (count, error) => count < RETRIES_MAX && isPassing(error),
      refetchOnWindowFocus: true,
    },
  },
})

const RETRIES_MAX = 3

function isPassing(error: Error): boolean {
  return !(error instanceof BeckonError) || error.status === 503 || error.status === 429
}

export type ReadOptions = {
  readonly isEnabled?: boolean
  /** Nothing is asked more often than every two seconds; what must be faster comes over the live stream. */
  readonly everyMs?: number
  /** Shows the former answer while the next is on its way, as a list does while one types. */
  readonly keepsFormer?: boolean
}

/** The reply of an endpoint, cached by brand, endpoint and input. */
export function useRead<Name extends Endpoint>(
  endpoint: Name,
  input: Input<Name>,
  { isEnabled = true, everyMs, keepsFormer = false }: ReadOptions = {},
): UseQueryResult<ReplyOf<Name>> {
  return useQuery<ReplyOf<Name>>({
    queryKey: readKey(endpoint, input),
    queryFn: async ({ signal }) => call(endpoint, input, { signal, isRead: true }),
    enabled: isEnabled,
    ...(everyMs === undefined ? {} : { refetchInterval: Math.max(everyMs, POLL_MS_MIN) }),
    ...(keepsFormer ? { placeholderData: keepPreviousData } : {}),
  })
}

const POLL_MS_MIN = 2_000

type Paged = { readonly next_cursor: string | null }

/** A list, page by page. `next_cursor` of each page leads to the next. */
export function useReadPages<Name extends Endpoint>(
  endpoint: Name,
  input: Input<Name> & AnyInput,
  { isEnabled = true }: Pick<ReadOptions, 'isEnabled'> = {},
): UseInfiniteQueryResult<InfiniteData<ReplyOf<Name> & Paged>> {
  return useInfiniteQuery({
    queryKey: [...readKey(endpoint, input), 'pages'],
    queryFn: async ({ signal, pageParam }): Promise<ReplyOf<Name> & Paged> => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam }
      return Object(
        await call(endpoint, { ...input, query: { ...input.query, ...cursor } }, { signal, isRead: true }),
      )
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    // Reading a long list anew asks for all its pages, so only a write of the reader's own does.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= PAGES_READ_ANEW,
  })
}

/** How many pages of a list are read anew with the counts that move. */
export const PAGES_READ_ANEW = 2

/** The key of a reply in the cache. The first part is the brand: a switch of brands shows nothing of the one before. */
export function readKey(endpoint: string, input: AnyInput = {}): readonly unknown[] {
  return [chosenBrand(), endpoint, input]
}

/** Drops the cached replies of these endpoints, after a write that changed them. */
export async function refresh(...endpoints: readonly Endpoint[]): Promise<void> {
  await Promise.all(
    endpoints.map(async (endpoint) => QUERIES.invalidateQueries({ queryKey: [chosenBrand(), endpoint] })),
  )
}

export type WriteOptions<Name extends Endpoint> = {
  /** The reads that show what was changed. */
  readonly refreshes?: readonly Endpoint[]
  readonly onDone?: (reply: ReplyOf<Name>) => void
}

/** A call that changes something. */
export function useWrite<Name extends Endpoint>(
  endpoint: Name,
  { refreshes = [], onDone }: WriteOptions<Name> = {},
): UseMutationResult<ReplyOf<Name>, Error, Input<Name>> {
  const wish = useWish<ReplyOf<Name>>()
  return useMutation<ReplyOf<Name>, Error, Input<Name>>({
    mutationFn: async (input) =>
      wish(input, async (idempotencyKey) => call(endpoint, input, { idempotencyKey })),
    onSuccess: async (reply) => {
      onDone?.(reply)
      await refresh(...refreshes)
    },
  })
}
