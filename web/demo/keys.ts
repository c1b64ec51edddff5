/** The demo brand's keys. The secret one is here only because this is a demo: a real page must never hold it. */
export type Keys = { readonly publishable: string | null; readonly secret: string | null }

/** From the link that the first start prints, and from then on from this browser's memory. */
export function readKeys(): Keys {
  const given = new URLSearchParams(location.hash.slice(1))
  for (const name of ['publishable', 'secret'] as const) {
    const value = given.get(name)
    if (value !== null) keepKey(name, value)
  }
  // A link with keys in it should not stay in the address bar, nor in the history.
  if (given.size > 0) history.replaceState(null, '', location.pathname)
  return {
    publishable: localStorage.getItem(PLACE.publishable),
    secret: sessionStorage.getItem(PLACE.secret),
  }
}

export function keepKey(name: keyof Keys, value: string): void {
  const memory = name === 'secret' ? sessionStorage : localStorage
  memory.setItem(PLACE[name], value)
}

const PLACE = { publishable: 'beckon-demo-publishable', secret: 'beckon-demo-secret' } as const
