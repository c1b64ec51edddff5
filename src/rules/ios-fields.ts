import { INTERRUPTION_LEVELS } from './platforms.ts'
import { PUSH_LIMITS } from './push.ts'
import { OPTIONAL, type PushFieldRow } from './push-field-row.ts'

const NAME_TEXT = { type: 'text', charsMax: PUSH_LIMITS.nameCharsMax } as const

/** The fields of a push that only Apple's devices have. They are a part of `PUSH_FIELDS`. */
export const IOS_FIELDS = [
  {
    name: 'category',
    content: 'category',
    shape: NAME_TEXT,
    platforms: ['ios'],
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The category that the iOS app has registered, which gives the notification its buttons.',
  },
  {
    name: 'thread_id',
    content: 'threadId',
    shape: NAME_TEXT,
    platforms: ['ios'],
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'Notifications with the same thread_id are shown as one group.',
  },
  {
    name: 'interruption_level',
    content: 'interruptionLevel',
    shape: { type: 'choice', oneOf: INTERRUPTION_LEVELS },
    platforms: ['ios'],
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'How much the notification may disturb. time-sensitive and critical need an entitlement of the app.',
  },
  {
    name: 'relevance_score',
    content: 'relevanceScore',
    shape: { type: 'number', min: 0, max: 1 },
    platforms: ['ios'],
    needsShown: true,
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'From 0 to 1: which notification of the app iOS shows first in its summary.',
  },
] as const satisfies readonly PushFieldRow[]
