import { readFileSync } from 'node:fs'
import { reasonOf, StartError } from '../errors.ts'
import type { TlsFiles } from './database-url.ts'

/** The part of the options of `node:tls` that a database connection sets. */
type TlsOptions = {
  readonly rejectUnauthorized: boolean
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly checkServerIdentity?: () => undefined
}

/**
 * The options of encrypted connections. Each new connection reads the files again, so that a renewed certificate needs no
 * restart. A file that cannot be read at that moment leaves the options as they were; at the start it is an error.
 */
export class TlsSource {
  readonly #files: TlsFiles
  #options: TlsOptions

  constructor(files: TlsFiles) {
    this.#files = files
    this.#options = loadTlsOptions(files)
  }

  load(): TlsOptions {
    try {
      this.#options = loadTlsOptions(this.#files)
    } catch {
      // Somebody is replacing the files; the server decides whether the old certificate still serves.
    }
    return this.#options
  }
}

/**
 * The modes mean what they mean in libpq: `verify-full` checks the chain and the name, `verify-ca` the chain only, and
 * `require` nothing but that there is encryption, unless a root certificate is given.
 */
function loadTlsOptions({ mode, rootCert, cert, key }: TlsFiles): TlsOptions {
  const isChecked =
    mode === 'verify-full' || mode === 'verify-ca' || (mode === 'require' && rootCert !== null)
  return {
    rejectUnauthorized: isChecked,
    ...(rootCert === null ? {} : { ca: readPem('sslrootcert', rootCert) }),
    ...(cert === null ? {} : { cert: readPem('sslcert', cert) }),
    ...(key === null ? {} : { key: readPem('sslkey', key) }),
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

/** This catches the error because a file that is missing has one remedy, and the person at the terminal should read it. */
function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StartError(`${name} of DATABASE_URL cannot be read: ${reasonOf(cause)}.`, { cause })
  }
}
