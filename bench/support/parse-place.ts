import { setTimeout as delay } from 'node:timers/promises'
import { withOwner } from '../../src/store/db.ts'
import { PARSE_HEADERS } from './parse-job.ts'

const LOOK_MS = 250

/** A database of `parse-server` on the server of another one, and the calls that a benchmark makes. */
export class ParsePlace {
  readonly job: { readonly databaseURI: string; readonly port: number }

  private constructor(job: ParsePlace['job']) {
    this.job = job
  }

  static async make(
    serverUrl: string,
    { name, port }: { readonly name: string; readonly port: number },
  ): Promise<ParsePlace> {
    await withOwner(serverUrl, async (owner) => owner.query(`create database ${name}`))
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    return new ParsePlace({ databaseURI: url.href, port })
  }

  /** The first device is registered by a call, which makes the table; the rest are copies of its row with other tokens. */
  async seed(count: number, appIdentifier: string): Promise<void> {
    await this.#call('installations', { deviceType: 'ios', deviceToken: '0'.repeat(64), appIdentifier })
    await withOwner(this.job.databaseURI, async (owner) => {
      await owner.query('set statement_timeout = 0')
      await owner.query(
        `insert into "_Installation"
           ("objectId", "createdAt", "updatedAt", "deviceType", "appIdentifier", "deviceToken", _rperm, _wperm)
         select 'd' || lpad(n::text, 9, '0'), i."createdAt", i."updatedAt", i."deviceType",
           i."appIdentifier", encode(sha256(('device ' || n)::bytea), 'hex'), i._rperm, i._wperm
         from "_Installation" as i cross join generate_series(2, $1::integer) as n`,
        [count],
      )
      await owner.query('vacuum analyze')
    })
  }

  /** A push to all devices, until its state says that it is over. Gives how many messages were accepted. */
  async push(): Promise<number> {
    const { headers } = await this.#call('push', {
      where: { deviceType: 'ios' },
      data: { title: 'All', alert: 'A message of some length to a device' },
    })
    const id = headers.get('x-parse-push-status-id') ?? ''
    for (;;) {
      const { body } = await this.#call(`classes/_PushStatus/${id}`)
      const { status, numSent = 0 }: PushStatus = JSON.parse(body)
      if (status === 'succeeded') return numSent
      if (status === 'failed') throw new Error(`the push of parse-server failed: ${body}`)
      await delay(LOOK_MS)
    }
  }

  async #call(path: string, body?: object): Promise<{ readonly headers: Headers; readonly body: string }> {
    const reply = await fetch(`http://127.0.0.1:${this.job.port}/parse/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...PARSE_HEADERS, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`parse-server answered ${reply.status}: ${text}`)
    return { headers: reply.headers, body: text }
  }
}

type PushStatus = { readonly status?: string; readonly numSent?: number }
