import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { SandboxAccess } from '../../src/delivery/sandbox/file.ts'

/** The quick far end for APNs, in a process of its own. */
export class FarEnd {
  readonly #child: ChildProcess
  readonly origin: string
  readonly pid: number

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child
    this.origin = origin
    this.pid = child.pid ?? 0
  }

  /** `onMessage` hears the moment of each message, in milliseconds; without it, moments are not told. */
  static async start(certificateFile: string, onMessage?: (atMs: number) => void): Promise<FarEnd> {
    const file = join(import.meta.dirname, 'quick-apns-process.ts')
    const mode = onMessage === undefined ? [] : ['tell']
    const child = spawn(process.execPath, [file, certificateFile, ...mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const [origin] = await once(lines, 'line')
    lines.on('line', (line: string) => onMessage?.(Number(line.replace('at ', '')) / 1e6))
    return new FarEnd(child, String(origin))
  }

  /** The access of a sandbox, with this far end in place of its APNs. */
  instead(access: SandboxAccess): SandboxAccess {
    return { ...access, apns: { ...access.apns, origin: this.origin } }
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}
