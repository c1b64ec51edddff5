import { findServer, type OwnServer, type PostgresServer } from './find-server.ts'
import { boundLog } from './log-file.ts'
import { markRoleLogins } from './role-logins.ts'
import { stopServer } from './stop-server.ts'

/** A running server. Only the process with the data lock may stop it. */
export type RunningPostgres = {
  readonly url: string
  readonly pid: number
  /** The server was running already: a killed Beckon left it, or another process has just started it. */
  readonly adopted: boolean
  /** Resolves when the server has ended for any reason. After a crash, a new start uses the same port again. */
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
  server: PostgresServer | OwnServer,
  { dataDir, folder, password, adopted }: ServerOrigin,
): RunningPostgres {
  const releaseLog = boundLog(dataDir)
  const watch = watchServer(folder, server)
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
  return markRoleLogins(`postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`)
}

const LOOK_MS = 1_000

type Watch = { readonly ended: Promise<void>; look(): Promise<void> }

/**
 * The system tells of the end of a child process, and costs nothing until then. An adopted server is not a child process,
 * so its end is found by looking every `LOOK_MS`.
 */
function watchServer(folder: string, server: PostgresServer | OwnServer): Watch {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const look = async (): Promise<void> => {
    const found = await findServer(folder)
    if (found?.pid !== server.pid) resolve()
  }
  if ('exited' in server) {
    void server.exited.then(resolve)
    return { ended, look }
  }
  // A look that fails says nothing about the server, so the next one decides.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS)
  timer.unref() // the timer must not keep the process alive
  return { ended: ended.finally(() => clearInterval(timer)), look }
}
