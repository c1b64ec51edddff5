import { INT64_MAX, INT64_MIN } from './fields.ts'
import { OPTIONAL, type PushFieldRow } from './push-field-row.ts'

/** The fields of a push, and of a journey's send, that name a saved template. */
export const TEMPLATE_PUSH_FIELDS = [
  {
    name: 'template_id',
    shape: { type: 'integer', min: INT64_MIN, max: INT64_MAX },
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'The saved template that fills in the content fields which this body does not have. Then title and message are optional.',
  },
  {
    name: 'template_version',
    shape: { type: 'integer', min: 1n, max: 2_147_483_647n },
    modes: OPTIONAL,
    allowedInJourney: true,
    description: 'The version of the template; the newest when absent. It needs template_id.',
  },
] as const satisfies readonly PushFieldRow[]
