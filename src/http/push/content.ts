import { type Fault, fault } from '../../domain/fault.ts'
import { BLANK_CONTENT, type Content, type MessageButton } from '../../domain/push/message.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { PUSH_FIELDS } from '../../rules/push-fields.ts'
import type { FieldValue } from '../fields/field.ts'
import type { ReadFields } from '../fields/fields.ts'
import { isSetIn, textIn } from '../fields/value.ts'

type Values = ReadonlyMap<string, FieldValue>

/** The content of a notification: the value of each row with a `content` key, and the buttons. */
export function pushContentOf(values: Values): Content {
  const given = givenContent(values)
  const url = given.url ?? null
  return {
    ...BLANK_CONTENT,
    // A notification that is shown should wake the device; a silent one need not.
    priority: given.silent === true ? 'normal' : 'high',
    ...given,
    buttons: BUTTONS.flatMap((button) => buttonOf(values, button, url)),
  }
}

/** A button cannot be shown without its text (decisions §3). */
export function readContentFaults({ seen }: ReadFields): readonly Fault[] {
  return BUTTONS.filter(({ title, url }) => seen.has(url) && !seen.has(title)).map(({ title, url }) =>
    fault('field_conflict', url, { detail: `it needs ${title}` }),
  )
}

/** A silent notification has no sound and no badge: Apple refuses them beside a silent push, and FCM has no place. */
export function contentWarnings({ seen, values }: ReadFields): readonly Warning[] {
  if (!isSetIn(values, 'silent')) return []
  return SHOWN_ONLY.filter((name) => seen.has(name)).map((name) =>
    warning('no_effect', name, { detail: 'a silent notification shows nothing' }),
  )
}

const SHOWN_ONLY: readonly string[] = PUSH_FIELDS.filter((row) => 'needsShown' in row).map(({ name }) => name)

type ContentRow = Extract<(typeof PUSH_FIELDS)[number], { readonly content: string }>

/** The values of shapes that are no text. An integer of a content is a number: its row keeps it below 2^53. */
type NoText = {
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
  readonly strings: Readonly<Record<string, string>>
}

type ContentValue<Shape> = Shape extends { readonly oneOf: readonly (infer Choice)[] }
  ? Choice
  : Shape extends { readonly type: keyof NoText }
    ? NoText[Shape['type']]
    : string

type GivenContent = {
  readonly [Key in ContentRow['content']]?: ContentValue<
    Extract<ContentRow, { readonly content: Key }>['shape']
  >
}

const CONTENT_ROWS: readonly ContentRow[] = PUSH_FIELDS.filter((row) => 'content' in row)

/** The reader made each value by its row's shape, so a value has the type that `ContentValue` names. */
function givenContent(values: Values): GivenContent {
  const given: GivenContent = {}
  for (const { name, content } of CONTENT_ROWS) {
    const value = values.get(name)
    if (value !== undefined)
      Object.assign(given, { [content]: typeof value === 'bigint' ? Number(value) : value })
  }
  return given
}

type ButtonFields = { readonly title: string; readonly url: string }

const BUTTONS: readonly ButtonFields[] = [
  { title: 'button_one_title', url: 'button_one_url' },
  { title: 'button_two_title', url: 'button_two_url' },
]

/** A button without a link opens the link of the notification. */
function buttonOf(values: Values, names: ButtonFields, url: string | null): readonly MessageButton[] {
  const title = textIn(values, names.title)
  return title === null ? [] : [{ title, url: textIn(values, names.url) ?? url }]
}
