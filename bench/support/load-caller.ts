/** A process that makes requests on kept connections and reports how long they took. */
import { Agent, request } from 'node:http'
import type { Load, LoadResult, ToldLoad } from './load.ts'

/** They are encoded once, so that a call costs the caller as little as it can. */
let bodies: readonly Buffer[] = []

process.on('message', (told: ToldLoad) => {
  bodies = told.bodies?.map((body) => Buffer.from(body)) ?? bodies
  void run({ ...told, bodies }).then((result) => process.send?.(result))
})

/** A round with its bodies as bytes. */
type BytesLoad = Omit<Load, 'bodies'> & { readonly bodies: readonly Buffer[] }

const NO_BODY = Buffer.alloc(0)

async function run(load: BytesLoad): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
  const took: number[] = []
  let failures = 0
  let sent = 0
  const startedAt = performance.now()
  const endsAt = startedAt + load.durationMs

  const isCutOff = load.method === 'GET'
  const cut = isCutOff ? setTimeout(() => agent.destroy(), load.durationMs) : undefined

  const one = async (dueAt: number): Promise<void> => {
    const calling = call(load, agent, load.bodies[sent++ % load.bodies.length] ?? NO_BODY)
    const status = await (isCutOff ? calling.catch(() => 0) : calling)
    if (status !== 200) failures += 1
    took.push(performance.now() - dueAt)
  }
  await (load.perSecond === null ? closed(load, endsAt, one) : paced(load, endsAt, one))

  const seconds = (performance.now() - startedAt) / 1000
  clearTimeout(cut)
  agent.destroy()
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
  return {
    requests: took.length,
    failures,
    perSecond: took.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    tookMs: took,
  }
}

/** Each connection sends its next request when it has the answer to the one before. */
async function closed(load: BytesLoad, endsAt: number, one: (dueAt: number) => Promise<void>): Promise<void> {
  const connection = async (): Promise<void> => {
    while (performance.now() < endsAt) await one(performance.now())
  }
  await Promise.all(Array.from({ length: load.connections }, connection))
}

/** Requests come when they are due, whether or not the earlier ones are answered. */
async function paced(load: BytesLoad, endsAt: number, one: (dueAt: number) => Promise<void>): Promise<void> {
  const gapMs = 1000 / (load.perSecond ?? 1)
  const all: Promise<void>[] = []
  let dueAt = performance.now()
  while (dueAt < endsAt) {
    while (dueAt <= performance.now() && dueAt < endsAt) {
      all.push(one(dueAt))
      dueAt += gapMs
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(all)
}

async function call(load: BytesLoad, agent: Agent, body: Buffer): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const { port, path, method = 'POST' } = load
  const bodyHeaders = { 'content-type': 'application/json', 'content-length': body.length }
  const headers = method === 'GET' ? load.headers : { ...load.headers, ...bodyHeaders }
  const options = { host: '127.0.0.1', port, path, method, headers, agent }
  request(options, (response) => {
    response
      .resume()
      .on('end', () => resolve(response.statusCode ?? 0))
      .on('error', reject)
  })
    .on('error', reject)
    .end(body)
  return promise
}
