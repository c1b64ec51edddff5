/**
 * Loaded into a process before its program: from one SIGUSR2 to the next one it writes down where the time of its main thread goes, to
 * the file that `BENCH_PROFILE` names, with the id of the process behind it. Each other thread that runs a program of ours leaves
 * a file with its name for Linux, so that its CPU can be told from that of the engine's threads.
 */
import { readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { basename } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const INTERVAL_MICROS = 200
const file = `${process.env['BENCH_PROFILE'] ?? ''}.${process.pid}`
let session: Session | null = null

if (isMainThread) process.on('SIGUSR2', () => void toggle())
else writeFileSync(`${file}.thread.${basename(readlinkSync('/proc/thread-self'))}`, '')

async function toggle(): Promise<void> {
  if (session !== null) {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    session = null
    // The file appears whole.
    writeFileSync(`${file}.part`, JSON.stringify(profile))
    renameSync(`${file}.part`, file)
    return
  }
  session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
  await session.post('Profiler.start')
  writeFileSync(`${file}.begun`, '')
}
