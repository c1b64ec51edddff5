import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestBrand } from './database.ts'
import { type Api, apiOf, pathOf, runJourneysAt, startJourney } from './journey-runs.ts'
import type { RunningServer } from './server.ts'

/** A brand with a person `u1` who has an Android device, and an active journey. */
export type Walker = {
  readonly brand: TestBrand
  readonly api: Api
  readonly journeyId: string
  /** Does all that is due so many milliseconds from now. */
  readonly run: (afterMs: number) => Promise<void>
  readonly path: () => Promise<readonly string[]>
  readonly act: (action: string) => Promise<void>
  readonly addDevice: (userId: string) => Promise<void>
  /** Gives the person a tag. */
  readonly tag: (tag: string) => Promise<void>
}

type Document = object | ((api: Api, brand: TestBrand) => Promise<object>)
type Options = { readonly isMerging?: boolean }

export function walkers({
  port,
  deps,
  brand: newBrand,
}: RunningServer): (document: Document, options?: Options) => Promise<Walker> {
  return async (document, { isMerging = false } = {}) => {
    const brand = await newBrand()
    await deps.database.query('update brands set profile_merging = $2 where id = $1', [
      brand.brandId,
      isMerging,
    ])
    const api = apiOf(port, brand)
    const must = async (method: string, path: string, body?: object): Promise<void> => {
      const { status, text } = await api(method, path, body)
      assert.equal(status, 200, text)
    }
    const addDevice = async (userId: string): Promise<void> =>
      must('POST', '/api/v1/subscriptions', {
        platform: 'android',
        token: randomBytes(80).toString('base64url'),
        user_id: userId,
      })
    await must('POST', '/api/v1/user/create', { nv: [{ userID: 'u1' }] })
    await addDevice('u1')
    const made = typeof document === 'function' ? await document(api, brand) : document
    const journeyId = await startJourney(api, made)
    return {
      brand,
      api,
      journeyId,
      addDevice,
      run: async (afterMs) => runJourneysAt(deps.database, brand.brandId, Date.now() + afterMs),
      path: async () => pathOf(api, journeyId, 'u1'),
      act: async (action) => must('POST', `/api/v1/journeys/${journeyId}/${action}`),
      tag: async (tag) => {
        await deps.database.query(
          `update profiles set tags = tags || $2::text[] where brand_id = $1
             and id = (select profile_id from profile_identities where brand_id = $1 and value = 'u1')`,
          [brand.brandId, [tag]],
        )
      },
    }
  }
}
