import { fault } from '../../domain/fault.ts'
import { strangerScope } from '../../domain/push/sample.ts'
import { compileTemplate, isTemplate } from '../../domain/push/template.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { httpsFlaw, linkFlaw } from '../../domain/values/link.ts'
import { countChars, flawOf, isLonger } from '../../domain/values/text.ts'
import type { Shape } from '../../rules/fields.ts'
import { TEMPLATE_LIMITS } from '../../rules/templates.ts'
import { type Field, invalid, wrongType } from './field-type.ts'

type ShapeOf<Type extends Shape['type']> = Extract<Shape, { readonly type: Type }>

/** A string that can be stored and sent as it is: not empty, no NUL, no half surrogate, within its length. */
export function readText({ charsMax }: { readonly charsMax: number | null }, field: Field): Result<string> {
  const { path, value } = field
  if (typeof value !== 'string') return wrongType(field, 'a string')
  if (value === '') return reject(fault('field_empty', path))
  const flaw = flawOf(value)
  if (flaw !== null) return invalid(field, flaw)
  if (charsMax === null || !isLonger(value, charsMax)) return accept(value)
  return reject(
    fault('field_too_long', path, { max: charsMax, unit: 'characters', actual: countChars(value) }),
  )
}

/** Text that may hold Liquid. The limit of a template is applied after rendering. */
export function readTemplate(
  { charsMax, isWeighedLater }: ShapeOf<'template'>,
  field: Field,
): Result<string> {
  const hasLiquid = typeof field.value === 'string' && isTemplate(field.value)
  const text = readText({ charsMax: hasLiquid ? TEMPLATE_LIMITS.charsMax : charsMax }, field)
  return text.ok && hasLiquid ? compiled(field, text.value, isWeighedLater) : text
}

export function readLink(shape: ShapeOf<'link'>, field: Field): Result<string> {
  const { charsMax, allowsAppScheme, isWeighedLater } = shape
  const text = readText({ charsMax }, field)
  if (!text.ok) return text
  if (!isTemplate(text.value)) return judgedLink(field, text.value, linkFlaw(text.value, { allowsAppScheme }))
  const template = compiled(field, text.value, isWeighedLater)
  // A link that begins with Liquid gets its scheme from the person, so it is checked when it is rendered.
  if (!template.ok || text.value.startsWith('{')) return template
  return judgedLink(field, text.value, linkFlaw(text.value.replaceAll(LIQUID, 'x'), { allowsAppScheme }))
}

export function readHttpsUrl({ charsMax }: ShapeOf<'https_url'>, field: Field): Result<string> {
  const text = readText({ charsMax }, field)
  if (!text.ok) return text
  return judgedLink(field, text.value, httpsFlaw(text.value))
}

export function readChoice({ oneOf }: ShapeOf<'choice'>, field: Field): Result<string> {
  const { value } = field
  if (typeof value === 'string' && oneOf.includes(value)) return accept(value)
  return wrongType(field, `one of ${oneOf.join(', ')}`)
}

const LIQUID = /\{\{.*?\}\}|\{%.*?%\}/gsu

function judgedLink(field: Field, link: string, flaw: string | null): Result<string> {
  return flaw === null ? accept(link) : invalid(field, flaw)
}

function compiled({ path }: Field, text: string, isWeighedLater = false): Result<string> {
  const template = compileTemplate(path, text)
  if (!template.ok) return template
  if (isWeighedLater) return accept(text)
  // A template that costs too much without any data of a person costs too much for everybody.
  const isRunaway = template.value.isTooCostly(strangerScope(0))
  return isRunaway ? reject(fault('template_too_costly', path)) : accept(text)
}
