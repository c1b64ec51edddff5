import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program to its end and returns what it printed. */
export async function sh(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** The same, when it does not matter whether it fails: to remove something that may not be there. */
export async function tryTo(program: string, ...args: readonly string[]): Promise<string> {
  return sh(program, ...args).catch(() => '')
}
