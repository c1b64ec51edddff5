import { type Fault, fault } from '../../domain/fault.ts'
import { nearestName } from '../../domain/values/near-name.ts'
import { PUSH_FIELD_SYNONYMS, PUSH_LIMITS } from '../../rules/push.ts'

/**
 * A push cannot be called back, so a field that is close to a known one is refused and not ignored: a misspelt `tag`,
 * `dry_run` or `schedule_date` would notify everybody, now (decisions §2). `prefix` is the path of an object inside a body.
 */
export function misspeltFaults(
  unknown: readonly string[],
  known: Iterable<string>,
  prefix = '',
): readonly Fault[] {
  const names = [...known, ...Object.keys(PUSH_FIELD_SYNONYMS)]
  return unknown
    .slice(0, PUSH_LIMITS.comparedFieldsMax)
    .flatMap((field) => {
      const meant = nearestName(field, names)
      if (meant === null) return []
      return [fault('unknown_field', prefix + field, { suggestion: PUSH_FIELD_SYNONYMS[meant] ?? meant })]
    })
    .slice(0, PUSH_LIMITS.warningsMax)
}
