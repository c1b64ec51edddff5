/** A reply of the server, or none. */
export type Answer = {
  /** 0 when no reply came. */
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly waitMs: number
}

/** Sends JSON as text/plain, for which a browser needs no preflight. */
export async function post(url: string, body: unknown): Promise<Answer> {
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify(body),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const given: unknown = await reply.json().catch(() => null)
    const waitMs = Number(reply.headers.get('retry-after') ?? 0) * 1000
    return { status: reply.status, body: isObject(given) ? given : {}, waitMs }
  } catch {
    // Offline, blocked, or too slow: the caller tries again later.
    return { status: 0, body: {}, waitMs: 0 }
  }
}

const TIMEOUT_MS = 20_000

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
