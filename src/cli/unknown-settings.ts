import { describeSettings, unknownSettings } from '../config.ts'
import { nearestName } from '../domain/values/near-name.ts'
import { CALLER_VARIABLES } from '../rules/caller-variables.ts'

/** A sentence for each variable that looks like a setting and is none: a misspelt setting has no effect. */
export function describeUnknownSettings(names: readonly string[] = unknownSettings()): readonly string[] {
  const callers: readonly string[] = Object.values(CALLER_VARIABLES)
  const settings = describeSettings().map(({ name }) => name)
  return names
    .filter((name) => !callers.includes(name))
    .map((name) => {
      const nearest = nearestName(name, settings)
      const advice = nearest === null ? 'See bin/beckon help settings.' : `Did you mean ${nearest}?`
      return `${name} is not a setting and has no effect. ${advice}`
    })
}
