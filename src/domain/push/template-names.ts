import type { Content } from './message.ts'
import { SUBSCRIPTION_NAMES } from './sample.ts'
import { variablesIn } from './template.ts'

/** A name that a template of a push uses, and the field it is in. */
export type TemplateName =
  /** An attribute of people. Whether it is known is a question for the store. */
  | { readonly kind: 'attribute'; readonly field: string; readonly attribute: string }
  /** A name that is empty for everybody, and why. */
  | { readonly kind: 'unknown'; readonly field: string; readonly name: string; readonly detail: string }

/** The names in the templates of a push that may be empty for everybody. */
export function namesInContent({ title, body, url }: Content): readonly TemplateName[] {
  const texts = [
    ['title', title],
    ['message', body],
    ['url', url ?? ''],
  ] as const
  return texts.flatMap(([field, text]) => variablesIn(text).flatMap((path) => nameOf(field, path)))
}

const USER_NAMES: readonly string[] = ['email', 'mobile', 'user_id']

function nameOf(field: string, path: readonly string[]): readonly TemplateName[] {
  const [root = '', key] = path
  const name = path.join('.')
  const unknown = (detail: string): readonly TemplateName[] => [{ kind: 'unknown', field, name, detail }]
  if (root === 'now') return []
  if (root === 'event') return unknown('has a value in journeys only')
  if (root === 'user') {
    return key === undefined || USER_NAMES.includes(key) ? [] : [{ kind: 'attribute', field, attribute: key }]
  }
  if (root !== 'subscription') return unknown('is none of user, subscription, event and now')
  return key === undefined || SUBSCRIPTION_NAMES.includes(key) ? [] : unknown('is no field of a subscription')
}
