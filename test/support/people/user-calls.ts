import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import { loadBrand, saveBrandSettings } from '../../../src/store/brand/brands.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, call, keyHeaders, type RunningServer } from '../processes/server.ts'

/** The profile calls, as a brand's own server makes them. */
export class UserCalls {
  readonly #server: RunningServer

  constructor(server: RunningServer) {
    this.#server = server
  }

  async post(brand: TestBrand, name: string, body: object): Promise<Answer> {
    return call(this.#server.port, { path: `/api/v1/user/${name}`, headers: keyHeaders(brand), body })
  }

  /** What `userData` shows; nothing for somebody unknown. */
  async read(brand: TestBrand, userID: string): Promise<JsonObject> {
    const path = `/api/v1/user/userData?userID=${encodeURIComponent(userID)}`
    const { body } = await call(this.#server.port, { path, headers: keyHeaders(brand) })
    return isJsonObject(body['profile']) ? body['profile'] : {}
  }

  async mergingBrand(): Promise<TestBrand> {
    const brand = await this.#server.brand()
    const { database } = this.#server.deps
    const settings = await loadBrand(database, brand.externalId)
    if (settings === null) throw new Error('a brand vanished')
    await saveBrandSettings(database, brand.brandId, { ...settings, profileMerging: true })
    return brand
  }
}
