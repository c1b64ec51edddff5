import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import type { TestBrand } from '../database/database.ts'
import { memoryLog } from '../memory-log.ts'
import { type Answer, call, keyHeaders, startServer } from '../processes/server.ts'
import { RECEIPTS, runPushLane, SEALER } from '../push/engine.ts'
import { openSandboxDesk } from '../push/sandbox-desk.ts'
import { askSeries, linesIn } from '../series/series.ts'
import { untilWorked } from '../until-worked.ts'

export const PATH = '/api/v1/virtual-devices'

/** A server, a sandbox with its control, and a worker, with calls about virtual devices. */
export async function openVirtualDesk() {
  const desk = await openSandboxDesk()
  const server = await startServer({ deps: { sandbox: desk.deps, receipts: RECEIPTS, sealer: SEALER } })
  const log = memoryLog()
  const stopWorker = runPushLane(server.deps.database, desk.access, log)
  const close = async (): Promise<void> => {
    await stopWorker()
    await Promise.all([server.close(), desk.close()])
  }
  const until = async (isTrue: () => Promise<boolean>): Promise<void> =>
    untilWorked(isTrue, { lines: log.lines })
  const api = async (brand: TestBrand, method: string, path: string, body?: object): Promise<Answer> => {
    const headers = keyHeaders(brand)
    return call(server.port, { method, path, headers, ...(body === undefined ? {} : { body }) })
  }
  const devicesOf = async (brand: TestBrand): Promise<readonly JsonObject[]> => {
    const listed = await api(brand, 'GET', PATH)
    assert.equal(listed.status, 200, listed.text)
    return listIn(listed.body, 'virtual_devices')
  }
  const messagesOn = async (brand: TestBrand, subscriptionId: unknown): Promise<readonly JsonObject[]> => {
    const device = (await devicesOf(brand)).find((one) => one['subscription_id'] === subscriptionId)
    assert.ok(device)
    return listIn(device, 'messages')
  }
  return {
    desk,
    server,
    close,
    until,
    api,
    devicesOf,
    messagesOn,
    make: async (brand: TestBrand, body: object): Promise<JsonObject> => {
      const made = await api(brand, 'POST', PATH, body)
      assert.equal(made.status, 200, made.text)
      return objectIn(made.body, 'virtual_device')
    },
    /** Waits until the device shows this many messages, and gives them. */
    shown: async (brand: TestBrand, subscriptionId: unknown, count: number) => {
      await until(async () => (await messagesOn(brand, subscriptionId)).filter(isShown).length >= count)
      return messagesOn(brand, subscriptionId)
    },
    receiptsOf: async (brand: TestBrand, id: unknown): Promise<unknown> =>
      (await api(brand, 'GET', `/api/v1/notifications/${String(id)}/receipts`)).body['receipts'],
    /** The live subscriptions as the series counts them. */
    liveCount: async (brand: TestBrand): Promise<number | undefined> => {
      const [line] = linesIn(await askSeries(server.port, brand, { metric: 'subscriptions', by: 'hour' }))
      return line?.counts.at(-1)
    },
  }
}

function isShown({ state }: JsonObject): boolean {
  return state !== 'arrived'
}

export function objectIn(fields: Readonly<Record<string, unknown>>, name: string): JsonObject {
  const value = fields[name]
  assert.ok(isJsonObject(value), name)
  return value
}

export function listIn(fields: Readonly<Record<string, unknown>>, name: string): readonly JsonObject[] {
  const value = fields[name]
  assert.ok(Array.isArray(value), name)
  return value.filter(isJsonObject)
}
