import { type Fault, fault } from '../../domain/fault.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { flawOf } from '../../domain/values/text.ts'
import { joinField } from './walk.ts'

/** Every text in a body that PostgreSQL could not keep as it is, names of fields included. */
export function textFaults(value: unknown, path = ''): readonly Fault[] {
  if (typeof value === 'string') return faultIn(value, path)
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => textFaults(item, joinField(path, index)))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => [
    ...faultIn(name, path),
    ...textFaults(part, joinField(path, name)),
  ])
}

function faultIn(text: string, path: string): readonly Fault[] {
  const detail = flawOf(text)
  return detail === null ? [] : [fault('field_invalid', path, { detail })]
}
