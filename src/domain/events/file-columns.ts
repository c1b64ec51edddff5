import type { FileColumnKind } from '../../rules/event-files.ts'

/** A column of an event file that has the values of one attribute, of one kind. */
export type FileColumn = { readonly kind: FileColumnKind; readonly attribute: string }

/**
 * The name of a column: `number.total`. Names of attributes are case-sensitive, and names of columns are not, so a `^`
 * stands before each capital letter and before a `^`: `string.first^Name`. No two attributes have the same column.
 */
export function fileColumnName({ kind, attribute }: FileColumn): string {
  return `${kind}.${attribute.replaceAll(/[\p{Lu}\p{Lt}^]/gu, (letter) => `^${letter}`)}`
}

/** The column of a name. */
export function columnOf(name: string): FileColumn & { readonly name: string } {
  const point = name.indexOf('.')
  const kind = FILE_KINDS.find((one) => one === name.slice(0, point))
  if (kind === undefined) throw new Error(`${name} is no column of attributes`)
  return { name, kind, attribute: name.slice(point + 1).replaceAll(/\^(.)/gu, '$1') }
}

const FILE_KINDS = ['string', 'number', 'boolean', 'json'] as const satisfies readonly FileColumnKind[]

/** Whether an attribute can have a column. A few signs have another case and are no letters: `ⓐ` and `Ⓐ`. */
export function canHaveColumn(attribute: string): boolean {
  return Array.from(attribute).every((sign) => sign === sign.toLowerCase() || /[\p{Lu}\p{Lt}]/u.test(sign))
}

/** The values of one attribute in one file, and how wide its numbers are. Null stands for no number at all. */
export type KindCounts = {
  readonly strings: number
  readonly jsons: number
  readonly booleans: number
  readonly numbers: NumberWidth | null
}

/** The most digits before the point, and after it. */
export type NumberWidth = { readonly whole: number; readonly scale: number }

/**
 * The narrowest decimal for numbers, of a few, so that the files of a brand have the same where they can. Up to 18 digits
 * are one integer of 64 bits, which readers add up much faster.
 */
export function decimalFor({ whole, scale }: NumberWidth): string {
  const digits = SCALES.find((some) => scale <= some) ?? SCALE_MAX
  return `DECIMAL(${whole + digits <= NARROW_DIGITS ? NARROW_DIGITS : WIDE_DIGITS}, ${digits})`
}

const SCALES = [0, 2, 4]
const SCALE_MAX = 9
const NARROW_DIGITS = 18
const WIDE_DIGITS = 27

/** A column of a file, the place of its attribute in the list, and its type if that is a decimal. */
export type ShapedColumn = FileColumn & { readonly place: number; readonly decimal: string | null }

/** The columns that the attributes of a file need: one for each kind of value that occurs. */
export function planColumns(
  attributes: readonly string[],
  counts: readonly KindCounts[],
): readonly ShapedColumn[] {
  return attributes.flatMap((attribute, place) => {
    const { strings = 0, jsons = 0, booleans = 0, numbers = null } = counts[place] ?? {}
    const found: readonly FileColumnKind[] = [
      ...(strings > 0 ? (['string'] as const) : []),
      ...(numbers === null ? [] : (['number'] as const)),
      ...(booleans > 0 ? (['boolean'] as const) : []),
      ...(jsons > 0 ? (['json'] as const) : []),
    ]
    const decimal = numbers === null ? null : decimalFor(numbers)
    return found.map((kind) => ({ kind, attribute, place, decimal: kind === 'number' ? decimal : null }))
  })
}
