import { LANGUAGE_LIMITS } from '../../rules/languages.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { TRIAL_LIMITS } from '../../rules/trials.ts'
import type { LeftOut } from '../../store/push/left-out.ts'
import { type Static, Type } from '../schema/schema.ts'

export const DRY_RUN_QUERY = Type.Object({
  user_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PUSH_LIMITS.identifierCharsMax,
      description:
        'The person whom the messages are rendered for, in the audience or not; the first one of it when absent.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LANGUAGE_LIMITS.tagCharsMax,
      description: 'The language to render, one of those of the campaign; that of the person when absent.',
    }),
  ),
  variant: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TRIAL_LIMITS.nameCharsMax,
      description: 'The name of the variant to render; the first one when absent.',
    }),
  ),
})

export type DryRunWishes = Static<typeof DRY_RUN_QUERY>

export const LEFT_OUT = Type.Object(
  {
    opted_out: Type.Integer({ description: 'They opted out of the topic or of everything, on each device.' }),
    over_cap: Type.Union([Type.Integer(), Type.Null()], {
      description: 'They had as many messages today as the brand allows; null when no cap holds.',
    }),
    cap: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The frequency_cap of the brand, if it holds.',
    }),
  },
  { description: 'People of the audience who would get nothing if the message left now.' },
)

export function renderLeftOut({ optedOut, overCap, cap }: LeftOut): Static<typeof LEFT_OUT> {
  return { opted_out: optedOut, over_cap: overCap, cap }
}
