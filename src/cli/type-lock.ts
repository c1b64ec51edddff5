import { ATTRIBUTE_TYPES } from '../rules/attributes.ts'
import { StartError } from '../runtime/errors.ts'
import { resetLock } from '../store/events/lock-claims.ts'
import { loadMoment } from '../store/push/planning.ts'
import { defineCommand } from './command.ts'
import { say } from './terminal.ts'
import { withBrand } from './with-brand.ts'

export const typeLockResetCommand = defineCommand({
  name: 'type-lock reset',
  summary: 'Lets the next value of a server decide the type of an attribute anew.',
  about: [
    'The first value of an attribute locks its type. This takes the lock back, as POST /api/v1/events/schema/reset does. Processes that know the lock forget it within seconds.',
  ],
  operands: [
    { name: 'BRAND', meaning: 'The id of the brand (bin/beckon brand list).' },
    { name: 'ATTRIBUTE', meaning: 'The name of the attribute.' },
  ],
  flags: {
    event: {
      type: 'string',
      value: 'NAME',
      meaning: 'The event that has the attribute. Without it, the attribute is one of profiles.',
    },
  },
  examples: ['bin/beckon type-lock reset acme price --event "order placed"'],
  run: async ({ event: eventName = '' }, [externalId = '', attribute = '']) => {
    const lock = await withBrand(externalId, async (database, { id: brandId }) =>
      database.asBrand(brandId, async (tx) =>
        resetLock(tx, { brandId, eventName, attribute, type: null, now: await loadMoment(tx) }),
      ),
    )
    const of = eventName === '' ? 'profiles' : `the event ${eventName}`
    if (lock === null) throw new StartError(`Brand ${externalId} has no attribute ${attribute} of ${of}.`)
    say(
      `The attribute ${attribute} of ${of} was ${ATTRIBUTE_TYPES[lock.type].label}. The next value of a server decides its type.`,
    )
  },
})
