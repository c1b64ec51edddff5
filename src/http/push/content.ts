import { type Fault, fault } from '../../domain/fault.ts'
import type { Content, MessageButton } from '../../domain/push/message.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import type { FieldValue } from '../fields/field.ts'
import type { Fields } from '../fields/fields.ts'
import { isSetIn, numberIn, stringsIn, textIn } from '../fields/value.ts'

type Values = ReadonlyMap<string, FieldValue>

/** What the notification says. */
export function contentOf(values: Values): Content {
  const silent = isSetIn(values, 'silent')
  const url = textIn(values, 'url')
  return {
    title: textIn(values, 'title') ?? '',
    body: textIn(values, 'message') ?? '',
    url,
    imageUrl: textIn(values, 'image_url'),
    heroImageUrl: textIn(values, 'hero_image_url'),
    buttons: BUTTONS.flatMap((button) => buttonOf(values, button, url)),
    ttlSeconds: numberIn(values, 'ttl_seconds') ?? PUSH_LIMITS.ttlSecondsDefault,
    priority: priorityOf(textIn(values, 'priority'), silent),
    badge: numberIn(values, 'badge'),
    sound: textIn(values, 'sound'),
    androidChannel: textIn(values, 'android_channel'),
    silent,
    data: stringsIn(values, 'data') ?? {},
  }
}

/** A button cannot be shown without its text (decisions §3). */
export function readContentFaults({ seen }: Fields): readonly Fault[] {
  return BUTTONS.filter(({ title, url }) => seen.has(url) && !seen.has(title)).map(({ title, url }) =>
    fault('field_conflict', url, { detail: `it needs ${title}` }),
  )
}

type ButtonFields = { readonly title: string; readonly url: string }

const BUTTONS: readonly ButtonFields[] = [
  { title: 'button_one_title', url: 'button_one_url' },
  { title: 'button_two_title', url: 'button_two_url' },
]

/** A button without an address opens the notification's own. */
function buttonOf(values: Values, names: ButtonFields, url: string | null): readonly MessageButton[] {
  const title = textIn(values, names.title)
  return title === null ? [] : [{ title, url: textIn(values, names.url) ?? url }]
}

/** What is shown should wake the device; what only feeds the app need not. */
function priorityOf(asked: string | null, silent: boolean): Content['priority'] {
  const urgent = silent ? 'normal' : 'high'
  return asked === 'high' || asked === 'normal' ? asked : urgent
}
