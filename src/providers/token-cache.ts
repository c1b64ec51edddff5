import type { Verdict } from '../domain/push/verdict.ts'
import { COOL_DOWN_RULES } from '../rules/push.ts'
import type { Clock } from '../runtime/clock.ts'
import { BoundedCache } from '../runtime/limits/cache.ts'
import { BackoffList, type BackoffTime } from '../runtime/loop/backoff-list.ts'

/** A token that authorizes us at a provider, and its validity. */
export type AuthToken = {
  readonly value: string
  readonly mintedAt: number
  /** From this instant the next use mints a new token; until `expiresAt` the old one still works. */
  readonly renewAt: number
  readonly expiresAt: number
}

/** The store in which all processes share their tokens, because APNs refuses a sender that mints too often. */
export type TokenStore = {
  readonly get: (name: string) => Promise<AuthToken | null>
  /** Stores `token` if the stored value is still `replaced` (null: none), and returns the token that is stored then. */
  readonly put: (name: string, token: AuthToken, replaced: string | null) => Promise<AuthToken>
}

/** How one token is minted. If that fails, a verdict says why. */
export type TokenRecipe = {
  readonly name: string
  readonly mint: () => Promise<Minted>
}

export type Minted =
  | { readonly kind: 'token'; readonly token: AuthToken }
  | { readonly kind: 'none'; readonly verdict: Verdict }

/**
 * The tokens of one process, in front of the shared store. Callers that ask at the same time share one minting. After a
 * failure that may pass, nothing is minted for a while that grows with each failure; the callers are told to wait for it.
 */
export class TokenCache {
  readonly #store: TokenStore
  readonly #clock: Clock
  readonly #tokens = new BoundedCache<string, AuthToken>({ capacity: TOKENS_MAX })
  readonly #underWay = new Map<string, Promise<Minted>>()
  readonly #failing: BackoffList<string>
  /** The verdict of the last failure, by the token's name. */
  readonly #failures = new BoundedCache<string, RetryVerdict>({ capacity: TOKENS_MAX })

  constructor(store: TokenStore, clock: Clock, time?: BackoffTime) {
    this.#store = store
    this.#clock = clock
    const options = { nameOf: (name: string) => name, itemsMax: TOKENS_MAX }
    this.#failing = new BackoffList(time === undefined ? options : { ...options, time })
  }

  /** The token, if it is at hand and need not be renewed. */
  known({ name }: TokenRecipe): AuthToken | null {
    const token = this.#tokens.get(name)
    return token !== undefined && this.#clock.now() < token.renewAt ? token : null
  }

  async get(recipe: TokenRecipe): Promise<Minted> {
    const token = this.known(recipe)
    return token === null ? this.#once(recipe, null) : { kind: 'token', token }
  }

  /** Another token than `refused`, which the provider refused. */
  async renew(recipe: TokenRecipe, refused: AuthToken): Promise<Minted> {
    const token = this.#tokens.get(recipe.name)
    if (token !== undefined && token.value !== refused.value) return { kind: 'token', token }
    return this.#once(recipe, refused.value)
  }

  async #once(recipe: TokenRecipe, refused: string | null): Promise<Minted> {
    const underWay = this.#underWay.get(recipe.name)
    if (underWay !== undefined) return underWay
    const refreshing = this.#refresh(recipe, refused).finally(() => this.#underWay.delete(recipe.name))
    this.#underWay.set(recipe.name, refreshing)
    return refreshing
  }

  async #refresh(recipe: TokenRecipe, refused: string | null): Promise<Minted> {
    const { name } = recipe
    const stored = await this.#store.get(name)
    const isUsable = stored !== null && stored.value !== refused
    if (isUsable && this.#clock.now() < stored.renewAt) return this.#keep(name, stored)
    const minted = await this.#mint(recipe)
    if (minted.kind === 'token') {
      return this.#keep(name, await this.#store.put(name, minted.token, stored?.value ?? null))
    }
    // Minting may fail for a while. Meanwhile a valid old token is used, and not every send tries to mint.
    const now = this.#clock.now()
    if (!isUsable || now >= stored.expiresAt) return minted
    return this.#keep(name, { ...stored, renewAt: Math.min(now + MINT_AGAIN_MS, stored.expiresAt) })
  }

  async #mint({ name, mint }: TokenRecipe): Promise<Minted> {
    const last = this.#failures.get(name)
    if (last !== undefined && this.#failing.waitMs(name) > 0) return this.#told(name, last)
    const minted = await mint()
    if (minted.kind === 'token') this.#failing.succeed(name)
    if (minted.kind === 'token' || minted.verdict.kind !== 'retry') return minted
    this.#failures.set(name, minted.verdict)
    this.#failing.fail(name, Math.min(minted.verdict.waitMs, COOL_DOWN_RULES.waitMsMax))
    return this.#told(name, minted.verdict)
  }

  #told(name: string, verdict: RetryVerdict): Minted {
    return { kind: 'none', verdict: { ...verdict, waitMs: Math.ceil(this.#failing.waitMs(name)) } }
  }

  #keep(name: string, token: AuthToken): Minted {
    this.#tokens.set(name, token)
    return { kind: 'token', token }
  }
}

type RetryVerdict = Extract<Verdict, { readonly kind: 'retry' }>

const MINT_AGAIN_MS = 30_000
const TOKENS_MAX = 10_000
