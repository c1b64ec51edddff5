import { type Fault, fault } from '../../domain/fault.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { pathTo } from '../../domain/values/path.ts'
import { flawOf } from '../../domain/values/text.ts'

/** Every text in a body that PostgreSQL could not keep as it is, names of fields included. */
export function textFaults(value: unknown, path = ''): readonly Fault[] {
  if (typeof value === 'string') return faultIn(value, path)
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => textFaults(item, pathTo(path, index)))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => [
    ...faultIn(name, path),
    ...textFaults(part, pathTo(path, name)),
  ])
}

function faultIn(text: string, path: string): readonly Fault[] {
  const detail = flawOf(text)
  return detail === null ? [] : [fault('field_invalid', path, { detail })]
}
