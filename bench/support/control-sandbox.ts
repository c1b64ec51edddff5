/**
 * The sandbox in a process of its own, which can be asked what arrived. Prints where it is. Its arguments are a
 * file with its certificate, how many devices there are, of which some were wiped, and the seed of its browsers.
 */
import { readFileSync } from 'node:fs'
import type { Certificate } from '../../src/sandbox/certificate.ts'
import { SandboxControl } from '../../src/sandbox/control.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { sandboxAccess } from '../../test/support/push/engine.ts'
import { DEAD_EVERY, tokenOf } from './audience.ts'

const [file = '', count = '', seed = ''] = process.argv.slice(2)
const certificate: Certificate = JSON.parse(readFileSync(file, 'utf8'))
const sandbox = await startSandbox({ certificate, arrivalsMax: 2_000, seed: Buffer.from(seed, 'hex') })
const since = Date.now() + 24 * 3_600_000
for (let number = DEAD_EVERY; number <= Number(count); number += DEAD_EVERY) {
  sandbox.apns.setDevice(tokenOf(number), { kind: 'unregistered', since })
}
const control = new SandboxControl(sandbox)
const address = { controlUrl: await control.listen(), controlToken: control.token }
process.stdout.write(`${JSON.stringify({ ...sandboxAccess(sandbox), ...address })}\n`)
