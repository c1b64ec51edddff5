/** The demo brand's keys. The secret key is here only because this is a demo: a real page must never have it. */
export type Keys = { readonly publishable: string | null; readonly secret: string | null }

/** Reads the keys from the link that the first start prints, and later from the browser's storage. */
export function readKeys(): Keys {
  const given = new URLSearchParams(location.hash.slice(1))
  for (const name of ['publishable', 'secret'] as const) {
    const value = given.get(name)
    if (value !== null) saveKey(name, value)
  }
  // A link with keys in it should not stay in the address bar, nor in the history.
  if (given.size > 0) history.replaceState(null, '', location.pathname)
  return {
    publishable: localStorage.getItem(STORAGE_KEYS.publishable),
    secret: sessionStorage.getItem(STORAGE_KEYS.secret),
  }
}

export function saveKey(name: keyof Keys, value: string): void {
  const storage = name === 'secret' ? sessionStorage : localStorage
  storage.setItem(STORAGE_KEYS[name], value)
}

const STORAGE_KEYS = { publishable: 'beckon-demo-publishable', secret: 'beckon-demo-secret' } as const
