import type { Deps } from '../../../src/http/deps.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, call, keyHeaders, type RunningServer } from '../processes/server.ts'

export const SITE = 'https://shop.example'

/** A brand whose pages at `SITE` may use its publishable key, and need no proof unless a test asks for it. */
export async function webBrand(server: RunningServer, settings: object = {}): Promise<TestBrand> {
  const brand = await server.brand()
  const body = { allowed_origins: [SITE], identity_verification: false, ...settings }
  await call(server.port, { method: 'PATCH', path: '/api/v1/brand', headers: keyHeaders(brand), body })
  return brand
}

/** A browser with its token, as the SDK would speak for it. */
export type Browser = {
  readonly token: () => string
  readonly tell: (...commands: readonly object[]) => Promise<Answer>
  readonly send: (body: object) => Promise<Answer>
}

export async function openBrowser(server: RunningServer, brand: TestBrand): Promise<Browser> {
  const headers = { origin: SITE, 'content-type': 'text/plain' }
  const query = `?key=${brand.publishableKey}`
  const opened = await call(server.port, { method: 'POST', path: `/api/v1/visitors${query}`, headers })
  let token = tokenIn(opened)
  const send = async (body: object): Promise<Answer> => {
    const text = JSON.stringify(body)
    const answer = await call(server.port, { path: `/api/v1/visitors/commands${query}`, headers, body: text })
    token = tokenIn(answer) || token
    return answer
  }
  return { token: () => token, send, tell: async (...commands) => send({ visitor: token, commands }) }
}

function tokenIn({ body }: Answer): string {
  return String(Object(body['visitor'])['token'] ?? '')
}

export function event(name: string, rest: object = {}): object {
  return { do: 'event', event_name: name, attributes: {}, ...rest }
}

/** What the database holds of a brand's visitors and events, by profile; those of merged ones are their heir's. */
export async function profilesOf(
  { database }: Deps,
  { brandId }: TestBrand,
): Promise<readonly { readonly userId: string | null; readonly events: readonly string[] }[]> {
  const { rows } = await database.query<{ userId: string | null; events: readonly string[] }>(
    `with recursive heir (profile_id, survivor_id) as (
       select id, id from profiles where brand_id = $1
       union all
       select m.absorbed_id, heir.survivor_id from heir
       join profile_merges as m on m.brand_id = $1 and m.survivor_id = heir.profile_id
     )
     select (select min(value) from profile_identities as i
         where i.brand_id = p.brand_id and i.profile_id = p.id and kind = 'user_id') as "userId",
       array(select event_name from events as e join heir using (profile_id)
         where e.brand_id = p.brand_id and heir.survivor_id = p.id order by event_at, e.id) as events
     from profiles as p where brand_id = $1 order by id`,
    [brandId],
  )
  return rows
}
