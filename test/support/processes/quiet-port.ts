import assert from 'node:assert/strict'
import { findFreePort } from '../../../src/runtime/postgres/free-port.ts'

/** Systems lend ports from this one on to outgoing calls. */
export const LENT_FROM = 32_768

/** A free port that no outgoing call of any process can be given before it is used. For a server that must come back on its port. */
export async function findQuietPort(): Promise<number> {
  const port = await findFreePort(null)
  assert.ok(port > 0 && port < LENT_FROM, `port ${port}`)
  return port
}
