import type { Find } from './search.ts'

let loading: Promise<readonly Find[]> | null = null

/** The search index, fetched at the first question. After a failure the next question fetches it again. */
export async function loadLines(): Promise<readonly Find[]> {
  loading ??= fetchLines().catch((cause: unknown) => {
    loading = null
    throw cause
  })
  return loading
}

async function fetchLines(): Promise<readonly Find[]> {
  const reply = await fetch('/docs/search.json')
  if (!reply.ok) throw new Error(`the search index answered ${reply.status}`)
  return reply.json()
}
