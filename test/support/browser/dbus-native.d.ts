import type { BusConnection } from '@homebridge/dbus-native'

/** What its own declarations leave out and our notification desktop needs. */
declare module '@homebridge/dbus-native' {
  export function createClient(options: { readonly busAddress: string }): SessionBus

  export type SessionBus = {
    readonly connection: BusConnection
    readonly requestName: (name: string, flags: number, done: (error: Error | null) => void) => void
    readonly exportInterface: (
      methods: object,
      path: string,
      description: {
        readonly name: string
        readonly methods: Readonly<Record<string, readonly [takes: string, gives: string]>>
        readonly signals: Readonly<Record<string, readonly [carries: string]>>
      },
    ) => void
    readonly sendSignal: (
      path: string,
      name: string,
      signal: string,
      ...content: readonly [signature: string, values: readonly unknown[]]
    ) => void
  }
}
