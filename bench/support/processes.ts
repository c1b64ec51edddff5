import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processes of a benchmark, which all end with it. */
export class Processes {
  readonly #children: ChildProcess[] = []

  /** Starts a program of this repository and waits until it says something that matches. */
  async start(args: readonly string[], { environment = {}, said = /\n/ }: Start = {}): Promise<Started> {
    const [file = '', ...rest] = args
    const child = spawn(process.execPath, [join(import.meta.dirname, '../..', file), ...rest], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // The lines of thousands of requests would hide the figures.
      env: { ...process.env, BECKON_REQUEST_LOG: 'off', ...environment },
    })
    this.#children.push(child)
    const heard = { text: '' }
    child.stdout.setEncoding('utf8').on('data', (part: string) => void (heard.text += part))
    const ended = once(child, 'exit').catch(() => undefined)
    while (!said.test(heard.text)) {
      if (child.exitCode !== null) throw new Error(`${file} ended: ${heard.text}`)
      await Promise.race([once(child.stdout, 'data'), ended])
    }
    return { pid: child.pid ?? 0, said: heard.text }
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
  }
}

export type Start = { readonly environment?: Readonly<Record<string, string>>; readonly said?: RegExp }
export type Started = { readonly pid: number; readonly said: string }

/** The most memory a process ever had, in MiB; 0 where there is no /proc. */
export function peakMiB(pid: number): number {
  if (process.platform !== 'linux') return 0
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}
