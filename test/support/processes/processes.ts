import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Runs a TypeScript file in a process of its own and returns what it printed; a failure throws its stderr. */
export async function runProcess(file: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${stderr}`)
  return stdout
}
