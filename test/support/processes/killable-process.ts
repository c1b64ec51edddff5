import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program of a test in a process of its own, which can be killed without a word. */
export type KillableProcess = { readonly kill: () => Promise<void> }

export type Program = {
  readonly file: string
  readonly args: readonly string[]
  /** Hears what the program writes to standard error. */
  readonly onComplaint?: (text: string) => void
}

/** Starts a program and waits for its first output. A program that ends before fails the wait, with its complaint. */
export async function startProcess({ file, args, onComplaint }: Program): Promise<KillableProcess> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
    onComplaint?.(text)
  })
  const ended = once(child, 'close')
  const begun = once(child.stdout, 'data')
  const isBegun = await Promise.race([begun.then(() => true), ended.then(() => false)])
  if (!isBegun) throw new Error(`${file} ended before it said anything: ${complaint}`)
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return { kill }
}
