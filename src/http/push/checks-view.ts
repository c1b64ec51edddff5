import type { SendingCheck } from '../../domain/push/checks.ts'
import { CHECK_STATES, CHECKS } from '../../rules/checks.ts'
import { type Static, Type } from '../schema/schema.ts'
import { INSTANT_OR_NULL, instantOrNull } from '../schema/view.ts'

/** A reason, with the words that its sentence is filled with. */
export const REASON = Type.Object(
  {
    code: Type.String({ description: 'A stable code, for programs.' }),
    message: Type.String({ description: 'A sentence, for people.' }),
    values: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The facts in the sentence, so that a program can say it in another language.',
      }),
    ),
  },
  { additionalProperties: true },
)

export const CHECK = Type.Object({
  check: Type.String({ description: `The name of the check: ${Object.keys(CHECKS).join(', ')}.` }),
  result: Type.String({
    enum: [...CHECK_STATES],
    description:
      'waits: time alone lets the message pass, and the checks behind go on. not_reached: an earlier check failed, or nothing is known yet.',
  }),
  rule: Type.String({ description: 'The rule, as a sentence.' }),
  seen: Type.Array(REASON, {
    description: 'The facts that the rule was held against, as far as they are known.',
  }),
  at: { ...INSTANT_OR_NULL, description: 'The instant whose facts were looked at.' },
  until: { ...INSTANT_OR_NULL, description: 'When a message that waits goes on, if that is known.' },
})

export function renderCheck({ name, state, rule, findings, at, until }: SendingCheck): Static<typeof CHECK> {
  return {
    check: name,
    result: state,
    rule,
    seen: findings.map((finding) => ({ ...finding })),
    at: instantOrNull(at),
    until: instantOrNull(until),
  }
}
