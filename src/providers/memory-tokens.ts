import type { AuthToken, TokenStore } from './token-cache.ts'

/** The tokens of a single process: tests, and a Beckon that has not been given a database for them. */
export function memoryTokens(): TokenStore {
  const tokens = new Map<string, AuthToken>()
  return {
    get: async (name) => tokens.get(name) ?? null,
    put: async (name, token, replaced) => {
      const stored = tokens.get(name)
      if (stored !== undefined && stored.value !== replaced) return stored
      tokens.set(name, token)
      return token
    },
  }
}
