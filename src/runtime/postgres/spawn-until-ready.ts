import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../errors.ts'
import { awaitServer } from './await-server.ts'
import { findServer, type OwnServer, type PostgresServer } from './find-server.ts'
import { findFreePort } from './free-port.ts'
import { logFile, readLog } from './log-file.ts'
import { rewriteStalePidFile } from './pid-file.ts'
import { type Launch, spawnServer } from './program.ts'

type ServerRun = {
  readonly dataDir: string
  readonly folder: string
  /** The port of the former server, so that its clients find the new one there. */
  readonly preferredPort: number | null
  readonly signal: AbortSignal | undefined
}

type Ended = { readonly kind: 'ended'; readonly words: string }
type Ready = { readonly kind: 'ready'; readonly server: OwnServer }

const ATTEMPTS_MAX = 40
const RETRY_MS = 250
const POLL_MS = 20
/** Recovery after a crash replays the write-ahead log; it takes seconds, on a slow disk minutes. */
const READY_MAX_MS = 10 * 60_000

/** Starts a server on the folder and waits until it accepts connections. The caller has the start lock. */
export async function spawnUntilReady(launch: Launch, run: ServerRun): Promise<PostgresServer | OwnServer> {
  let words = ''
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    // A killed start may have left a server that writes its pid file only now.
    const present = await awaitServer(run.folder, run.signal)
    if (present !== null) return present
    const outcome = await tryOnce(launch, run)
    if (outcome.kind === 'ready') return outcome.server
    words = outcome.words
    if (!isPassing(words)) break
    await wait(RETRY_MS, undefined, run.signal === undefined ? {} : { signal: run.signal })
  }
  throw new StartError(`PostgreSQL did not start: ${reasonIn(words)} (more in ${logFile(run.dataDir)})`)
}

async function tryOnce(launch: Launch, run: ServerRun): Promise<Ended | Ready> {
  await rewriteStalePidFile(run.folder)
  const port = await findFreePort(run.preferredPort)
  const log = await open(logFile(run.dataDir), 'a', 0o600)
  try {
    const offset = (await log.stat()).size
    const child = spawnServer(launch, { folder: run.folder, args: ['-p', String(port)], logHandle: log.fd })
    const server = await untilReady(child, run)
    if (server !== null) return { kind: 'ready', server }
    return { kind: 'ended', words: await readLog(run.dataDir, offset) }
  } finally {
    await log.close()
  }
}

/** Null when the process ended instead. */
async function untilReady(child: ChildProcess, { folder, signal }: ServerRun): Promise<OwnServer | null> {
  const ended = new AbortController()
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  void exited.then(() => ended.abort())
  // A program that could not even be spawned reports an error and never an exit.
  child.once('exit', () => resolve()).once('error', () => resolve())
  if (child.pid === undefined) await once(child, 'error')

  const giveUpAt = performance.now() + READY_MAX_MS
  while (!ended.signal.aborted) {
    const server = await findServer(folder)
    if (server?.isReady && server.pid === child.pid) return { ...server, exited }
    signal?.throwIfAborted()
    if (performance.now() > giveUpAt) {
      throw new StartError(
        `PostgreSQL is still recovering ${folder} after 10 minutes: start Beckon again to go on waiting.`,
      )
    }
    await wait(POLL_MS)
  }
  return null
}

/** Reasons that pass: orphans of a killed server, a port that was taken meanwhile, a server that is just starting. */
function isPassing(words: string): boolean {
  return /shared memory block|could not create any TCP\/IP sockets|lock file/.test(words)
}

/** The line of the log that names the cause; for a bad configuration it comes before the last line. */
const CAUSES = [
  /LOG: {2}(?:.*configuration parameter.*|invalid value.*|syntax error.*)/,
  /(?:FATAL|PANIC): .*/,
]

function reasonIn(words: string): string {
  const [line] = CAUSES.flatMap((cause) => cause.exec(words) ?? [])
  return (line ?? words.trim().split('\n').at(-1) ?? '').replace(/^[A-Z]+: +/, '') || 'it said nothing'
}
