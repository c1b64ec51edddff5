import { randomBytes } from 'node:crypto'

/**
 * A JSON text with holes. A broadcast is rendered once; each recipient then costs a few string joins, not a walk
 * through the whole message.
 */
export type PayloadTemplate = {
  /** One more than there are slots: text, slot, text, …, text. */
  readonly texts: readonly string[]
  readonly slots: readonly Slot[]
}

/** The texts that differ between the recipients of one notification. */
type Slot = (typeof SLOTS)[number]
export type SlotValues = Readonly<Record<Slot, string>>

const SLOTS = ['address', 'deliveryId', 'collapseId', 'receipt'] as const

/** A placeholder for the text of each recipient, inside a value that is rendered. */
export function slot(name: Slot): string {
  return `${MARK}${name}${MARK}`
}

export function makeTemplate(value: unknown): PayloadTemplate {
  const parts = JSON.stringify(value).split(MARK)
  return {
    texts: parts.filter((_, index) => index % 2 === 0),
    slots: parts
      .filter((_, index) => index % 2 === 1)
      .flatMap((part) => SLOTS.find((name) => name === part) ?? []),
  }
}

export function fillTemplate({ texts, slots }: PayloadTemplate, values: SlotValues): string {
  let filled = texts[0] ?? ''
  for (const [index, name] of slots.entries()) filled += inJson(values[name]) + (texts[index + 1] ?? '')
  return filled
}

/** A random mark that nobody can guess, so that no message contains it by accident or on purpose. */
const MARK = randomBytes(16).toString('hex')
const NEEDS_NO_ESCAPE = /^[\w.:~-]*$/

function inJson(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? text : JSON.stringify(text).slice(1, -1)
}
