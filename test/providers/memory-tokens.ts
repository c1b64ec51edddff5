import type { AuthToken, TokenStore } from '../../src/providers/token-cache.ts'

/** Tokens that only this process knows. */
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
