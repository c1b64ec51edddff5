import { randomInt } from 'node:crypto'
import { findFreePort } from '../../../src/runtime/postgres/free-port.ts'

/**
 * A free port that no outgoing call of any process can be given before it is used: systems lend ports from 32768 on. For a server
 * that must come back on its port.
 */
export async function findQuietPort(): Promise<number> {
  for (let triesLeft = 100; triesLeft > 0; triesLeft -= 1) {
    const port = randomInt(QUIET_FROM, QUIET_TO)
    if ((await findFreePort(port)) === port) return port
  }
  throw new Error(`no port between ${QUIET_FROM} and ${QUIET_TO} is free`)
}

const QUIET_FROM = 12_000
const QUIET_TO = 32_000
