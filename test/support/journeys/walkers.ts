import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestBrand } from '../database/database.ts'
import { entryOf, logEntries } from '../events/events.ts'
import type { RunningServer } from '../processes/server.ts'
import { type Api, apiOf, pathOf, runJourneysAt, startJourney } from './runs.ts'

/** A brand with a person `u1` who has an Android device, and an active journey. */
export type Walker = {
  readonly brand: TestBrand
  readonly api: Api
  readonly journeyId: string
  /** Tells of events, which must be taken. */
  readonly log: (...entries: readonly object[]) => Promise<void>
  /** Does all that is due so many milliseconds from now. */
  readonly run: (afterMs: number) => Promise<void>
  readonly path: () => Promise<readonly string[]>
  readonly act: (action: string) => Promise<void>
  readonly addDevice: (userId: string) => Promise<void>
  /** Gives the person a tag. */
  readonly tag: (tag: string) => Promise<void>
}

const WAIT = { id: 'wait', wait: { hours: 1 } }
export const SEND = { to: 'android', title: 'Hello', message: 'World' }
export const REMIND = { id: 'remind', send: SEND }

/** Reminds whoever signed up, an hour later, unless the code was verified meanwhile. */
export const OTP = {
  trigger: { event: 'signup' },
  goal: { event: 'otp_verified' },
  steps: [WAIT, REMIND],
}

/** The path of somebody who has just entered it. */
export const ENTERED = ['entered', 'wait:waiting']

/** An event of the person, so many seconds from now by its own time, or at the moment of receipt. */
export function event(name: string, seconds: number | null, attributes: object = {}): object {
  if (seconds === null) return entryOf({ event_name: name, attributes })
  const at = new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  return entryOf({ event_name: name, event_time: at, attributes })
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
      log: async (...entries) => {
        const { status, text } = await logEntries(port, brand, entries)
        assert.equal(status, 200, text)
      },
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
