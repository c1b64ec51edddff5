/**
 * Loaded into a process before its program: from one SIGUSR2 to the next one it writes down where the time goes, to the file that
 * `BENCH_PROFILE` names, with the id of the process behind it.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const INTERVAL_MICROS = 200
const file = `${process.env['BENCH_PROFILE'] ?? ''}.${process.pid}`
let session: Session | null = null

process.on('SIGUSR2', () => void toggle())

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
