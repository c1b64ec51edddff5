import { encodeJson, isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import type { Route } from '../../../src/http/route.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, call, keyHeaders, type RunningServer } from '../processes/server.ts'
import { assertDocumented, assertRefusalDocumented } from '../reference/documented.ts'

/** The calls about campaigns, as a brand's own server makes them. Each reply is held to the reference. */
export class CampaignCalls {
  readonly #port: number

  constructor({ port }: Pick<RunningServer, 'port'>) {
    this.#port = port
  }

  /** A campaign to everyone on all platforms, unless the fields say otherwise. */
  async create(caller: TestBrand, fields: JsonObject = {}): Promise<Answer> {
    return this.#send(caller, 'POST', '', {
      name: 'Teas',
      audience: { everyone: true },
      content: { title: 'Teas', message: 'Six new ones.' },
      ...fields,
    })
  }

  /** The id of a new campaign. */
  async made(caller: TestBrand, fields: JsonObject = {}): Promise<string> {
    const answer = await this.create(caller, fields)
    if (answer.status !== 200) throw new Error(`a campaign of a test was refused: ${answer.text}`)
    return String(campaignIn(answer)['campaign_id'])
  }

  async launched(caller: TestBrand, fields: JsonObject = {}): Promise<string> {
    const id = await this.made(caller, fields)
    const answer = await this.act(caller, id, 'launch')
    if (answer.status !== 200) throw new Error(`a launch of a test was refused: ${answer.text}`)
    return id
  }

  async change(caller: TestBrand, id: string, fields: JsonObject): Promise<Answer> {
    return this.#send(caller, 'PATCH', `/${id}`, fields)
  }

  async act(caller: TestBrand, id: string, action: string, body?: JsonObject): Promise<Answer> {
    return this.#send(caller, 'POST', `/${id}/${action}`, body)
  }

  async read(caller: TestBrand, id: string): Promise<JsonObject> {
    return campaignIn(await this.#send(caller, 'GET', `/${id}`))
  }

  async results(caller: TestBrand, id: string): Promise<Answer> {
    return this.#send(caller, 'GET', `/${id}/results`)
  }

  async list(caller: TestBrand, query = ''): Promise<readonly JsonObject[]> {
    const { body } = await this.#send(caller, 'GET', query)
    const { campaigns } = body
    return Array.isArray(campaigns) ? campaigns.filter(isJsonObject) : []
  }

  async get(caller: TestBrand, path: string): Promise<Answer> {
    return this.#send(caller, 'GET', path)
  }

  /** All rows of a list of a campaign, two by two. */
  async rows(caller: TestBrand, path: string, query: string): Promise<readonly JsonObject[]> {
    const rows: JsonObject[] = []
    let cursor: unknown = ''
    do {
      const place = cursor === '' ? '' : `&cursor=${String(cursor)}`
      const { body } = await this.get(caller, `${path}?limit=2${query}${place}`)
      const page: unknown = body['subscriptions'] ?? body['deliveries']
      if (!Array.isArray(page)) throw new Error(`a list of a test was refused: ${encodeJson(body)}`)
      rows.push(...page.filter(isJsonObject))
      cursor = body['next_cursor']
    } while (typeof cursor === 'string')
    return rows
  }

  async #send(caller: TestBrand, method: Route['method'], path: string, body?: JsonObject): Promise<Answer> {
    const type = { 'content-type': 'application/json' }
    const answer = await call(this.#port, {
      method,
      path: `/api/v1/campaigns${path}`,
      headers: { ...keyHeaders(caller), ...(body === undefined ? {} : type) },
      ...(body === undefined ? {} : { body: encodeJson(body) }),
    })
    const [place = ''] = path.replace(/^\/[^/?]+/, '/{campaign_id}').split('?')
    const address = { method, path: `/api/v1/campaigns${place}` }
    if (answer.status === 200) assertDocumented(address, answer)
    else assertRefusalDocumented(address, answer)
    return answer
  }
}

/** The campaign in a reply. */
export function campaignIn({ body }: Answer): JsonObject {
  return isJsonObject(body['campaign']) ? body['campaign'] : {}
}
