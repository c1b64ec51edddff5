/**
 * The sandbox in a process of its own, so that its work is not charged to whoever sends. Its arguments are a seed and,
 * if other servers are to be trusted with it, the file of their certificate. Prints where it is.
 */
import { readFileSync } from 'node:fs'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { sandboxAccess } from '../../test/support/push/engine.ts'

const PEERS = 40
const seed = Buffer.from(process.argv[2] ?? '', 'hex')
const certificateFile = process.argv[3]
const shared =
  certificateFile === undefined ? {} : { certificate: JSON.parse(readFileSync(certificateFile, 'utf8')) }
const sandbox = await startSandbox({ seed, arrivalsMax: 100, ...shared })
// A client that mints a token of its own for a key within 20 minutes is turned away, so each peer gets its own key.
const peers = Array.from({ length: PEERS }, () => sandbox.apns.newCredential())
process.stdout.write(`${JSON.stringify({ access: sandboxAccess(sandbox), peers })}\n`)
