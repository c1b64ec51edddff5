import type { AndroidCredential, IosCredential } from '../../domain/push/credential.ts'

/** Where the sandbox providers of this machine are, and the credentials they know. */
export type SandboxPlaces = {
  /** PEM: what they are trusted by. */
  readonly certificate: string
  readonly fcm: { readonly origin: string; readonly tokenUrl: string; readonly credential: AndroidCredential }
  readonly apns: { readonly origin: string; readonly credential: IosCredential }
  readonly web: { readonly origin: string }
  /** Where it can be asked what arrived. */
  readonly deskUrl: string
}

/** Finds them; null on a machine that has none. They come and go with their process. */
export type FindSandbox = () => Promise<SandboxPlaces | null>
