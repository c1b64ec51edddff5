import { type ClientRequest, type IncomingMessage, request as send } from 'node:http'

/** A server-sent event as a browser would get it. */
export type ServerEvent = {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  /** The id that a browser would send as Last-Event-ID when the stream breaks after this event. */
  readonly lastId: string
}

/** One open stream, read by a client that behaves like `EventSource`. */
export class TestStream {
  readonly status: number
  readonly events: ServerEvent[] = []
  readonly #request: ClientRequest
  readonly #response: IncomingMessage
  readonly #ended = Promise.withResolvers<void>()
  #buffer = ''
  #lastId = ''
  #comments = 0
  #isEnded = false
  #news = Promise.withResolvers<void>()

  constructor(outgoing: ClientRequest, response: IncomingMessage) {
    this.#request = outgoing
    this.#response = response
    this.status = response.statusCode ?? 0
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.#read(text))
    response.on('error', () => undefined)
    response.on('close', () => {
      this.#isEnded = true
      this.#ended.resolve()
      this.#tell()
    })
  }

  get lastId(): string {
    return this.#lastId
  }

  get comments(): number {
    return this.#comments
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers
  }

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** The rest of a reply that is no stream. */
  get text(): string {
    return this.#buffer
  }

  /** The first event, from the beginning, that fits; fails when the stream ends without one. */
  async until(fits: (event: ServerEvent) => boolean): Promise<ServerEvent> {
    for (;;) {
      const found = this.events.find(fits)
      if (found !== undefined) return found
      if (this.#isEnded) throw new Error(`the stream ended after ${JSON.stringify(this.events)}`)
      await this.#news.promise
    }
  }

  async named(event: string): Promise<ServerEvent> {
    return this.until((one) => one.event === event)
  }

  /** Stops reading, without hanging up. */
  pause(): void {
    this.#response.pause()
  }

  resume(): void {
    this.#response.resume()
  }

  close(): void {
    this.#request.destroy()
  }

  #read(text: string): void {
    this.#buffer += text
    const blocks = this.#buffer.split('\n\n')
    this.#buffer = blocks.pop() ?? ''
    for (const block of blocks) this.#take(block.split('\n'))
    this.#tell()
  }

  #take(lines: readonly string[]): void {
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    this.#lastId = field('id') ?? this.#lastId
    const data = field('data')
    if (data === undefined) this.#comments += 1
    else this.events.push({ event: field('event') ?? '', data: JSON.parse(data), lastId: this.#lastId })
  }

  #tell(): void {
    const { resolve } = this.#news
    this.#news = Promise.withResolvers<void>()
    resolve()
  }
}

export type OpenLive = {
  readonly subjects: string
  readonly headers?: Readonly<Record<string, string>>
  /** More of the query. */
  readonly query?: string
}

/** Opens `/api/v1/live` on a connection of its own. */
export async function openLive(
  port: number,
  { subjects, headers = {}, query = '' }: OpenLive,
): Promise<TestStream> {
  return openStream(port, { path: `/api/v1/live?subjects=${subjects}${query}`, headers })
}

export async function openStream(
  port: number,
  { path, headers }: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): Promise<TestStream> {
  const { promise, resolve, reject } = Promise.withResolvers<TestStream>()
  const outgoing = send({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
    resolve(new TestStream(outgoing, response)),
  )
  outgoing.on('error', reject).end()
  return promise
}

/** A value of an event by its path, such as `progress.notifications.0.state`. */
export function valueIn({ data }: ServerEvent, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], data)
}
