import { findServer, type PostgresServer } from './find-server.ts'
import { boundLog } from './log-file.ts'
import { stopServer } from './stop-server.ts'

/** A running server. Only its owner, who holds the data lock, may stop it. */
export type RunningPostgres = {
  readonly url: string
  readonly pid: number
  /** It was running already: left by a Beckon that was killed, or started by another process just now. */
  readonly adopted: boolean
  /** Resolves when the server is gone, whoever ended it. After a crash, a new start takes the same port again. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

type ServerOrigin = {
  readonly dataDir: string
  readonly folder: string
  readonly password: string | null
  readonly adopted: boolean
}

export function watchedServer(
  server: PostgresServer,
  { dataDir, folder, password, adopted }: ServerOrigin,
): RunningPostgres {
  const releaseLog = boundLog(dataDir)
  const watch = watchServer(folder, server.pid)
  return {
    url: serverUrl(server, password ?? ''),
    pid: server.pid,
    adopted,
    ended: watch.ended.finally(releaseLog),
    stop: async () => {
      await stopServer(folder)
      await watch.look()
    },
  }
}

export function serverUrl(server: PostgresServer, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`
}

const LOOK_MS = 500

type Watch = { readonly ended: Promise<void>; look(): Promise<void> }

/** An adopted server is nobody's child, so nobody is told when it ends: look now and then. */
function watchServer(folder: string, pid: number): Watch {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const look = async (): Promise<void> => {
    const server = await findServer(folder)
    if (server?.pid === pid) return
    clearInterval(timer)
    resolve()
  }
  // A look that fails says nothing about the server; the next one may.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS)
  timer.unref() // looking must not keep a process alive that has nothing else to do
  return { ended, look }
}
