import { within } from './database.ts'

/** What is known about this browser, by name. */
export type Facts = {
  /** Where Beckon is, and the publishable key of the brand. */
  readonly site: { readonly api: string; readonly key: string; readonly tracksPush: boolean }
  /** Shows the server who this browser is. */
  readonly visitor: string
  readonly pushKey: { readonly value: string; readonly askedAt: number }
  /** The push endpoint that the server was told last. */
  readonly endpoint: string
  readonly endpointToldAt: number
  readonly consent: 'granted' | 'denied'
  readonly isOptedOut: boolean
  readonly promptDeclinedAt: number
}

export async function fact<Name extends keyof Facts>(name: Name): Promise<Facts[Name] | undefined> {
  return within<Facts[Name]>('facts', (store) => store.get(name))
}

/** Undefined takes it away. */
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
