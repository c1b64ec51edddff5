import { SANDBOX_PLATFORMS } from '../rules/channels.ts'
import { PLATFORM_NAMES } from '../rules/platforms.ts'
import { Database } from '../store/db.ts'
import { type ChannelTrouble, listChannelTroubles } from '../store/push/channel-troubles.ts'
import { type Finding, good, type Patient, warn } from './doctor-check.ts'

/** Which channels hand nothing over, or not to all. Asked as the engine: the owner of the tables sees no rows. */
export async function lookAtChannels({ config }: Patient, url: string): Promise<Finding> {
  const database = new Database({ url, connectionsMax: 1, name: 'beckon doctor' })
  try {
    const hasSandbox = config.sandbox === 'on'
    const needed = PLATFORM_NAMES.filter((name) => !hasSandbox || !SANDBOX_PLATFORMS.includes(name))
    const troubles = await listChannelTroubles(database, { needed, limit: NAMED_MAX + 1 })
    if (troubles.length === 0) return good('all can send')
    const more = troubles.length > NAMED_MAX ? ['and others'] : []
    return warn([...troubles.slice(0, NAMED_MAX).map(describe), ...more].join('; '), ADVICE)
  } finally {
    await database.close()
  }
}

const NAMED_MAX = 5
const ADVICE = 'GET /api/v1/brand/channels of the brand says what to do.'

function describe({ brand, platform, state, reason, host }: ChannelTrouble): string {
  const trouble = host === null ? state : `refused by ${host}`
  return `${platform} of ${brand} is ${trouble} (${reason})`
}
