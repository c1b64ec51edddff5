import { loadConfig } from '../config.ts'
import { type SkipDeps, skipAllDue } from '../pipeline/push/skip-due.ts'
import { StartError } from '../runtime/errors.ts'
import { createLog } from '../runtime/log.ts'
import type { Database } from '../store/db.ts'
import { holdSending, loadHold, resumeSending } from '../store/push/sending-hold.ts'
import { defineCommand } from './command.ts'
import { withDatabase } from './open-database.ts'
import { say } from './terminal.ts'

export const holdCommand = defineCommand({
  name: 'hold',
  summary: 'Holds all sending, of all brands, until beckon resume.',
  about: [
    'Notifications, the steps of journeys and webhook calls wait; requests are served as ever. What is being handed over at this moment is, within some seconds. It outlives every restart, and beckon restore --hold begins with it.',
  ],
  flags: {},
  run: async () => {
    await withDatabase(loadConfig(), holdSending)
    say('Sending is held. Let it go on with beckon resume.')
  },
})

export const resumeCommand = defineCommand({
  name: 'resume',
  summary: 'Lets sending go on that was held.',
  about: [
    'Everything whose time has come meanwhile is sent now, unless it has expired. With --skip-due it is not: notifications whose time has come are cancelled, and people in journeys take the steps that are due without what those would send or call. Cut off half-way, it leaves sending held, and can simply be run again.',
  ],
  flags: { 'skip-due': { type: 'boolean', meaning: 'Cancels what came due, and then lets go.' } },
  examples: ['beckon resume', 'beckon resume --skip-due'],
  run: async (flags) => {
    const config = loadConfig()
    const log = createLog({ level: config.logLevel, process: 'resume' })
    await withDatabase(config, async (database) =>
      flags['skip-due'] === true ? skipAndResume({ database, log }) : resume(database),
    )
  },
})

async function resume(database: Database): Promise<void> {
  const wasHeld = await letGo(database)
  say(wasHeld ? 'Sending goes on.' : 'Sending was not held.')
}

/** Only what is held stands still long enough to be skipped. */
async function skipAndResume(deps: SkipDeps): Promise<void> {
  const { database } = deps
  if ((await loadHold(database)) === null) {
    throw new StartError('Sending is not held, so nothing was skipped: hold it first with beckon hold.')
  }
  const { notifications, people } = await skipAllDue(deps)
  await letGo(database)
  say(
    `Notifications cancelled because their time had come: ${notifications}.`,
    `People moved on in journeys without a send or a call: ${people}.`,
    'Sending goes on.',
  )
}

async function letGo(database: Database): Promise<boolean> {
  const wasHeld = await resumeSending(database)
  database.notify('plan')
  database.notify('send')
  return wasHeld
}
