import { advanceJourney } from '../../../src/pipeline/journeys/steps.ts'
import type { Database } from '../../../src/store/db.ts'
import { JourneyPlans } from '../../../src/store/journeys/plans.ts'
import { memoryLog } from '../memory-log.ts'
import { seedDueEnrolments, seedJourney } from './seeds.ts'

const SEND = { to: 'android', title: 'Hello', message: 'World' }

/** The people who are due at each step that sends. */
const DUE = { remind: 3, again: 2 } as const

/** A journey with two steps that send, `remind` to three people and `again` to two. Gives the id of the journey. */
export async function sendTwoSteps(database: Database, brandId: number): Promise<string> {
  const steps = [
    { id: 'remind', send: SEND },
    { id: 'pause', wait: { days: 1 } },
    { id: 'again', send: SEND },
  ]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  for (const [step, people] of Object.entries(DUE)) {
    const devices = Array.from({ length: people }, (_, at) => ({ address: `${step}-${brandId}-${at}` }))
    await seedDueEnrolments(database, { ...ref, devices, step, wakeAt: Date.now() - 1_000 })
  }
  await advanceJourney({ database, plans: new JourneyPlans(memoryLog()) }, ref)
  return String(ref.journeyId)
}
