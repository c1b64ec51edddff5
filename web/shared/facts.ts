import { within } from './database.ts'

/** Stored facts about this browser, by name. */
export type Facts = {
  /** The address of Beckon, and the publishable key of the brand. */
  readonly site: { readonly api: string; readonly key: string; readonly tracksPush: boolean }
  /** The visitor token, which identifies this browser to the server. */
  readonly visitor: string
  readonly pushKey: { readonly value: string; readonly askedAt: number }
  /** The push endpoint that was sent to the server last. */
  readonly endpoint: string
  readonly endpointSentAt: number
  readonly consent: 'granted' | 'denied'
  readonly isOptedOut: boolean
  readonly promptDeclinedAt: number
}

export async function fact<Name extends keyof Facts>(name: Name): Promise<Facts[Name] | undefined> {
  return within<Facts[Name]>('facts', (store) => store.get(name))
}

/** Undefined deletes the fact. */
export async function setFact<Name extends keyof Facts>(
  name: Name,
  value: Facts[Name] | undefined,
): Promise<void> {
  await within('facts', (store) => {
    if (value === undefined) store.delete(name)
    else store.put(value, name)
    return undefined
  })
}
