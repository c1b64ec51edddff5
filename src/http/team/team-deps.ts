import type { Database } from '../../store/db.ts'
import type { AuthLibrary } from './auth-library.ts'

/** The parts of the sign-in that handlers use. */
export type TeamDeps = {
  /** The address that members open (BECKON_PUBLIC_URL); null when it is not set and members use this machine. */
  readonly publicUrl: string | null
  /** The same, or the address of this machine. */
  readonly url: string
  readonly library: () => Promise<AuthLibrary>
}

export type TeamOptions = {
  readonly database: Database
  readonly publicUrl: string | null
  readonly port: number
  readonly secret: string
  readonly oldSecrets: readonly string[]
}

/** The library is loaded with the first sign-in, so that no other process and no start waits for it. */
export function openTeam({ publicUrl, port, ...options }: TeamOptions): TeamDeps {
  const url = publicUrl ?? `http://localhost:${port}`
  let opened: Promise<AuthLibrary> | null = null
  const open = async (): Promise<AuthLibrary> => {
    const { openAuthLibrary } = await import('./auth-library.ts')
    return openAuthLibrary({ ...options, publicUrl: url })
  }
  return {
    publicUrl,
    url,
    library: async () => {
      opened ??= open()
      return opened
    },
  }
}
