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
  summary: 'Holds all sending, of all brands, until bin/beckon resume.',
  about: [
    'Notifications, journey steps and webhook calls wait; requests are served as usual. Messages that are already being sent may still go out, for about three seconds. The hold survives restarts, and bin/beckon restore --hold begins with one.',
  ],
  flags: {},
  run: async () => {
    await withDatabase(loadConfig(), holdSending)
    say('Sending is held. Let it go on with bin/beckon resume.')
  },
})

export const resumeCommand = defineCommand({
  name: 'resume',
  summary: 'Ends the hold: sending continues.',
  about: [
    'Notifications that came due during the hold are sent now, unless they have expired. With --skip-due they are cancelled, a campaign whose variants were to be compared ends without its rest, and people in journeys take the due steps without sends and webhook calls. If the command is cut off, sending stays held; run it again.',
  ],
  flags: {
    'skip-due': {
      type: 'boolean',
      meaning: 'Cancels notifications and journey sends that came due, and then continues.',
    },
  },
  examples: ['bin/beckon resume', 'bin/beckon resume --skip-due'],
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

/** Skipping needs a hold, because workers would send the due notifications at the same time. */
async function skipAndResume(deps: SkipDeps): Promise<void> {
  const { database } = deps
  if ((await loadHold(database)) === null) {
    throw new StartError('Sending is not held, so nothing was skipped: hold it first with bin/beckon hold.')
  }
  const { notifications, campaigns, people } = await skipAllDue(deps)
  await letGo(database)
  say(
    `Notifications cancelled because their time had come: ${notifications}.`,
    `Campaigns that end before the rest of their audience gets the better variant: ${campaigns}.`,
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
