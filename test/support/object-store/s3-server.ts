import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { findQuietPort } from '../processes/quiet-port.ts'

/** How the server misbehaves. `full`: nothing can be stored. `hang`: no answer at all. `truncate`: half of an object, as if it were all. `cut`: half, then the end. */
export type S3Mood = 'well' | 'hang' | 'truncate' | 'cut' | 'busy' | 'full' | 'forbid'

export const S3_KEYS = { id: 'AKIATEST', secret: 'a secret of the test' }
export const S3_REGION = 'eu-test-1'
export const S3_BUCKET = 'bucket'

type Parsed = { readonly path: string; readonly query: URLSearchParams }

/** A store on loopback that speaks as much of S3 as is needed, checks every signature, and can be told to misbehave. */
export async function startS3() {
  const objects = new Map<string, Buffer>()
  const calls: string[] = []
  const held = new Set<ServerResponse>()
  const state = { mood: 'well' as S3Mood, pageSize: 1_000 }
  const server = createServer((request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request))
    const { method = '', url = '' } = request
    calls.push(`${method} ${url}`)
    if (state.mood === 'hang') {
      held.add(response)
      return
    }
    if (state.mood === 'busy' || (state.mood === 'full' && method === 'PUT'))
      return refuse(response, 503, 'SlowDown')
    if (state.mood === 'forbid' || !isSigned(request, body))
      return refuse(response, 403, 'SignatureDoesNotMatch')
    const address = new URL(url, 'http://store')
    const parsed = { path: decodeURIComponent(address.pathname), query: address.searchParams }
    if (parsed.path === `/${S3_BUCKET}` && method === 'GET') return list(response, parsed)
    const key = parsed.path.slice(S3_BUCKET.length + 2)
    if (!parsed.path.startsWith(`/${S3_BUCKET}/`)) return refuse(response, 404, 'NoSuchBucket')
    if (method === 'PUT') {
      objects.set(key, body)
      response.end()
    } else if (method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
    } else serve(response, objects.get(key))
  }

  function serve(response: ServerResponse, object: Buffer | undefined): void {
    if (object === undefined) return refuse(response, 404, 'NoSuchKey')
    const half = object.subarray(0, Math.floor(object.length / 2))
    if (state.mood === 'truncate') return void response.end(half)
    if (state.mood !== 'cut') return void response.end(object)
    response.writeHead(200, { 'content-length': object.length })
    response.write(half, () => response.destroy())
  }

  /** Pages of `ListObjectsV2`, in the order of names; the token is the last name of the page before. */
  function list(response: ServerResponse, { query }: Parsed): void {
    const after = query.get('continuation-token') ?? ''
    const names = [...objects.keys()]
      .filter((name) => name.startsWith(query.get('prefix') ?? '') && name > after)
      .toSorted()
    const page = names.slice(0, state.pageSize)
    const entries = page.map((name) => {
      const size = objects.get(name)?.length ?? 0
      return `<Contents><Key>${encodeURIComponent(name)}</Key><Size>${size}</Size></Contents>`
    })
    const isLast = page.length === names.length
    const token = isLast ? '' : `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${!isLast}</IsTruncated>${token}${entries.join('')}</ListBucketResult>`,
    )
  }

  const port = await findQuietPort()
  const start = async (): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await start()
  return {
    state,
    objects,
    calls,
    server: `http://127.0.0.1:${port}`,
    /** Ends all connections, as a server that is switched off; `start` brings it back. */
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    start,
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { connection: 'close' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
}

/** Signature Version 4, worked out from the request as it arrived, without the code that signs. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const { headers, method = '', url = '' } = request
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,SignedHeaders=([^,]+),Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    )
  if (match === null) return false
  const [, id = '', day = '', region = '', names = '', signature = ''] = match
  const hash = createHash('sha256').update(body).digest('hex')
  const date = String(headers['x-amz-date'] ?? '')
  const isFresh = date.startsWith(day) && Math.abs(Date.now() - instantOf(date)) < 900_000
  if (id !== S3_KEYS.id || region !== S3_REGION || headers['x-amz-content-sha256'] !== hash || !isFresh)
    return false
  const [path = '', query = ''] = url.split('?')
  const lines = names.split(';').map((name) => `${name}:${String(headers[name] ?? '')}\n`)
  const canonical = [method, path, query, lines.join(''), names, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`
  let key = Buffer.from(`AWS4${S3_KEYS.secret}`)
  for (const step of [day, region, 's3', 'aws4_request', text])
    key = createHmac('sha256', key).update(step).digest()
  return key.toString('hex') === signature
}

function instantOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
