import { EVERYTHING, TOPIC_LIMITS, TRANSACTIONAL } from '../../rules/topics.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'

/** The topics that a person, or a device, opted out of, each with the instant as text. `*` is everything. */
export type OptOuts = Readonly<Record<string, string>>

export type OptOut = { readonly topic: string; readonly since: string }

/** The opt-out that stops a message of this topic, or of none; null when nothing does. */
export function optOutOf(optOuts: OptOuts, topic: string | null): OptOut | null {
  if (topic === TRANSACTIONAL) return null
  const names = topic === null ? [EVERYTHING] : [topic, EVERYTHING]
  const name = names.find((one) => Object.hasOwn(optOuts, one))
  return name === undefined ? null : { topic: name, since: optOuts[name] ?? '' }
}

/** The opt-outs of two profiles that become one: whoever asked for silence gets it, from the earlier time on. */
export function joinOptOuts(one: OptOuts, other: OptOuts): OptOuts {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted()
  return Object.fromEntries(
    names.map((name) => {
      const times = [one, other].flatMap((given) => (Object.hasOwn(given, name) ? [given[name] ?? ''] : []))
      return [name, times.toSorted()[0] ?? '']
    }),
  )
}

export type OptOutChange = {
  /** The whole list as it is to be. */
  readonly wanted: readonly string[]
  /** The topics that can be chosen. */
  readonly topics: readonly string[]
  readonly now: number
}

/**
 * The opt-outs after a change. A topic that was opted out of before keeps its time. Opt-outs of archived topics stay:
 * nobody could see them, and so nobody took them back.
 */
export function planOptOuts(current: OptOuts, { wanted, topics, now }: OptOutChange): Result<OptOuts> {
  const known = new Set([...topics, EVERYTHING])
  const [first, ...others] = wanted.flatMap((name, index) => wantedFaults(name, `opt_outs[${index}]`, known))
  if (first !== undefined) return reject(first, ...others)
  const kept = Object.keys(current).filter((name) => !known.has(name))
  const names = [...new Set([...kept, ...wanted])].toSorted()
  const since = new Date(now).toISOString()
  return accept(
    Object.fromEntries(
      names.map((name) => [name, Object.hasOwn(current, name) ? (current[name] ?? since) : since]),
    ),
  )
}

function wantedFaults(name: string, field: string, known: ReadonlySet<string>): readonly Fault[] {
  if (name === TRANSACTIONAL) {
    return [fault('field_invalid', field, { detail: `nobody can opt out of ${TRANSACTIONAL}` })]
  }
  if (known.has(name)) return []
  return [fault('topic_unknown', field, { topic: name.slice(0, TOPIC_LIMITS.nameCharsMax) })]
}
