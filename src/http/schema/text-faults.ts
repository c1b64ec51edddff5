import { type Fault, fault } from '../../domain/fault.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { pathTo } from '../../domain/values/path.ts'
import { flawOf } from '../../domain/values/text.ts'

/** The texts in a body that PostgreSQL could not keep as they are, names of fields included; as many as a reply names. */
export function textFaults(value: unknown): readonly Fault[] {
  // Nearly all bodies have none, and the path of each value is garbage.
  return isFlawed(value) ? faultsAt(value, '').slice(0, FAULTS_MAX) : []
}

const FAULTS_MAX = 50

function isFlawed(value: unknown): boolean {
  if (typeof value === 'string') return flawOf(value) !== null
  if (Array.isArray(value)) return value.some(isFlawed)
  if (!isJsonObject(value)) return false
  for (const name in value) if (flawOf(name) !== null || isFlawed(value[name])) return true
  return false
}

function faultsAt(value: unknown, path: string): readonly Fault[] {
  if (typeof value === 'string') return faultIn(value, path)
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => faultsAt(item, pathTo(path, index)))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => [
    ...faultIn(name, path),
    ...faultsAt(part, pathTo(path, name)),
  ])
}

function faultIn(text: string, path: string): readonly Fault[] {
  const detail = flawOf(text)
  return detail === null ? [] : [fault('field_invalid', path, { detail })]
}
