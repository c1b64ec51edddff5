import { parseJson } from '../../client/json.ts'
import { chosenBrand } from './brand.ts'
import type { LiveMessage, LiveNews } from './live-news.ts'

/**
 * The one connection of a browser to `GET /api/v1/live`. It is opened anew when other subjects are wanted. The browser
 * itself comes back after a break; after a refusal, which it does not forgive, this does, later each time.
 */
export class LiveConnection {
  readonly latest = new Map<string, LiveMessage>()
  readonly #tell: (news: LiveNews) => void
  #wanted: readonly string[] = []
  /** Subjects that were refused: a deleted one, or one that the role does not show. */
  readonly #refused = new Set<string>()
  #source: EventSource | null = null
  #opened: readonly string[] = []
  #lastEventId = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #hiddenAt = 0

  constructor(tell: (news: LiveNews) => void) {
    this.#tell = tell
    addEventListener('online', () => this.#open())
    document.addEventListener('visibilitychange', () => this.#wake())
  }

  want(subjects: readonly string[]): void {
    this.#wanted = subjects
    // A tail that begins anew begins now, and not where an earlier one ended.
    if (!subjects.includes('events')) this.#lastEventId = ''
    for (const subject of this.#refused) if (!subjects.includes(subject)) this.#refused.delete(subject)
    for (const subject of this.latest.keys()) if (!subjects.includes(subject)) this.latest.delete(subject)
    if (this.#isOpenFor(this.#subjects())) return
    // Pages come and go with several subjects at once.
    this.#openIn(GATHER_MS)
  }

  #subjects(): readonly string[] {
    return this.#wanted.filter((subject) => !this.#refused.has(subject)).slice(0, SUBJECTS_MAX)
  }

  #isOpenFor(subjects: readonly string[]): boolean {
    if (subjects.length === 0) return this.#source === null
    const isSame =
      subjects.length === this.#opened.length && subjects.every((name) => this.#opened.includes(name))
    return this.#source !== null && isSame
  }

  #openIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#open(), ms)
  }

  #open(): void {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = null
    this.#opened = this.#subjects()
    if (this.#opened.length === 0) return
    const source = new EventSource(addressOf(this.#opened, this.#lastEventId))
    this.#source = source
    source.addEventListener('open', () => (this.#failures = 0))
    source.addEventListener('error', () => {
      if (source !== this.#source) return
      this.#tellAway()
      if (source.readyState === EventSource.CLOSED) void this.#afterRefusal()
    })
    source.addEventListener('closed', ({ data }) => this.#takeEnd(source, String(Object(read(data)).reason)))
    for (const event of EVENTS) source.addEventListener(event, (message) => this.#take(event, message))
  }

  #take(event: string, { data, lastEventId }: MessageEvent): void {
    if (lastEventId !== '') this.#lastEventId = lastEventId
    const fields: Readonly<Record<string, unknown>> = Object(read(data))
    const { subject: named } = fields
    const subject = typeof named === 'string' ? named : 'events'
    const message = { subject, event, data: fields }
    // A tab that joins a tail is told that it listens; the events before are not its own.
    if (subject !== 'events' || event === 'listening') this.latest.set(subject, message)
    this.#tell({ kind: 'message', message })
  }

  /** A state stays true until the next one comes, but a tail must say that it may lack events at present. */
  #tellAway(): void {
    this.#tell({ kind: 'broken' })
    if (!this.#opened.includes('events')) return
    this.latest.delete('events')
    this.#tell({ kind: 'message', message: { subject: 'events', event: 'away', data: {} } })
  }

  /** A stream that ends for another reason is opened again by the browser. */
  #takeEnd(source: EventSource, reason: string): void {
    if (reason !== 'unauthenticated' && reason !== 'scope_missing') return
    source.close()
    this.#tell({ kind: 'access' })
    void this.#afterRefusal()
  }

  /** Finds the subjects that are refused, so that one deleted thing does not silence the others. */
  async #afterRefusal(): Promise<void> {
    this.#source = null
    this.#failures += 1
    const asked = this.#subjects()
    const answers = await Promise.all(asked.map(async (subject) => statusOf(subject)))
    if (answers.includes(UNAUTHENTICATED)) this.#tell({ kind: 'access' })
    asked.forEach((subject, at) => {
      if (REFUSALS.has(answers[at] ?? 0)) this.#refused.add(subject)
    })
    this.#openIn(Math.min(BACK_MS_MAX, BACK_MS * 2 ** this.#failures) * (0.5 + Math.random() / 2))
  }

  /** A machine that slept may hold a connection of which the other end is long gone. */
  #wake(): void {
    if (document.visibilityState === 'hidden') {
      this.#hiddenAt = Date.now()
      return
    }
    if (Date.now() - this.#hiddenAt > STALE_MS) this.#open()
  }
}

const EVENTS = [
  'notification',
  'campaign',
  'journey',
  'overview',
  'virtual_devices',
  'event',
  'listening',
  'gap',
  'gone',
] as const
const SUBJECTS_MAX = 20
const GATHER_MS = 30
const BACK_MS = 1_000
const BACK_MS_MAX = 30_000
const STALE_MS = 60_000
const UNAUTHENTICATED = 401
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404])

function addressOf(subjects: readonly string[], lastEventId: string): string {
  const place = lastEventId === '' || !subjects.includes('events') ? {} : { last_event_id: lastEventId }
  const query = new URLSearchParams({ brand: chosenBrand(), subjects: subjects.join(','), ...place })
  return `/api/v1/live?${query.toString()}`
}

/** The status of a stream about one subject, which is not read. 0: the server does not answer. */
async function statusOf(subject: string): Promise<number> {
  const stop = new AbortController()
  try {
    const { status } = await fetch(addressOf([subject], ''), { signal: stop.signal })
    return status
  } catch {
    // The next try asks again.
    return 0
  } finally {
    stop.abort()
  }
}

function read(data: unknown): unknown {
  return parseJson(String(data))
}
