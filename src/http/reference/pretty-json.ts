import { encodeJson, isJsonObject } from '../../domain/values/json.ts'

/** JSON for a reader: whatever fits stands on one line, everything else has a line for each member. */
export function prettyJson(value: unknown, indent = ''): string {
  const line = oneLine(value)
  if (indent.length + line.length <= LINE_CHARS_MAX) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return wrap(
      '[]',
      indent,
      value.map((item: unknown) => `${inner}${prettyJson(item, inner)}`),
    )
  }
  if (!isJsonObject(value)) return line
  const members = Object.entries(value)
  return wrap(
    '{}',
    indent,
    members.map(([key, item]) => `${inner}"${key}": ${prettyJson(item, inner)}`),
  )
}

const LINE_CHARS_MAX = 56

function wrap([open, close]: string, indent: string, lines: readonly string[]): string {
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (!isJsonObject(value)) return encodeJson(value)
  const members = Object.entries(value).map(([key, item]) => `"${key}": ${oneLine(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
