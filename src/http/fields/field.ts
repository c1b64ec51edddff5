import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { Shape } from '../../rules/fields.ts'
import { readList, readStrings } from './collection.ts'
import { type Field, wrongType } from './field-type.ts'
import { readClock, readDateField, readLanguage, readZone } from './form.ts'
import { readInteger } from './integer.ts'
import { readChoice, readHttpsUrl, readLink, readTemplate, readText } from './text.ts'

/** A value that was read by the shape of its row. The functions of `value.ts` return it by name and type. */
export type FieldValue =
  | string
  | bigint
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | ReadonlyMap<string, unknown>

/** Reads a value by its shape. There is one case for each shape. */
export function readField(shape: Shape, field: Field): Result<FieldValue> {
  switch (shape.type) {
    case 'text':
      return readText(shape, field)
    case 'template':
      return readTemplate(shape, field)
    case 'link':
      return readLink(shape, field)
    case 'https_url':
      return readHttpsUrl(shape, field)
    case 'integer':
      return readInteger(shape, field)
    case 'number':
      return readNumber(shape, field)
    case 'boolean':
      return readBoolean(shape, field)
    case 'choice':
      return readChoice(shape, field)
    case 'date':
      return readDateField(field)
    case 'clock':
      return readClock(field)
    case 'zone':
      return readZone(shape, field)
    case 'language':
      return readLanguage(field)
    case 'list':
      return readList(shape, field)
    case 'strings':
      return readStrings(shape, field)
    case 'object':
      return isJsonObject(field.value)
        ? accept(new Map(Object.entries(field.value)))
        : wrongType(field, 'an object')
    case 'objects':
      return readObjects(shape, field)
    default:
      return unreachable(shape)
  }
}

/** The items are read with the whole document, so that only their number is looked at here. */
function readObjects({ itemsMax }: ShapeOf<'objects'>, field: Field): Result<readonly string[]> {
  const { path, value } = field
  if (!Array.isArray(value) || !value.every(isJsonObject)) return wrongType(field, 'a list of objects')
  if (value.length <= itemsMax) return accept([])
  return reject(fault('field_out_of_range', path, { min: 0, max: itemsMax, unit: ' items' }))
}

type ShapeOf<Name extends Shape['type']> = Extract<Shape, { readonly type: Name }>

function readBoolean({ trueRefusal }: ShapeOf<'boolean'>, field: Field): Result<boolean> {
  const { path, value } = field
  if (typeof value !== 'boolean') return wrongType(field, 'true or false')
  if (!value || trueRefusal === undefined) return accept(value)
  return reject(fault('field_conflict', path, { detail: trueRefusal }))
}

function readNumber({ min, max }: ShapeOf<'number'>, field: Field): Result<number> {
  const { path, value } = field
  if (typeof value !== 'number') return wrongType(field, 'a number')
  return value >= min && value <= max
    ? accept(value)
    : reject(fault('field_out_of_range', path, { min, max, unit: '' }))
}
