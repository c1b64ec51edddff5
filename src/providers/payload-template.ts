import { randomBytes } from 'node:crypto'

/**
 * A JSON text with holes. A broadcast is rendered once; each recipient then costs a few string joins, not a walk
 * through the whole message.
 */
export type PayloadTemplate = {
  /** The text before the first slot. */
  readonly start: string
  /** Each slot, with the text behind it. */
  readonly holes: readonly { readonly slot: Slot; readonly text: string }[]
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
  // The parts are in turn a text and the name of a slot; the first and the last one are texts.
  const parts = JSON.stringify(value).split(MARK)
  const holes = parts.flatMap((part, index) => {
    const name = index % 2 === 1 ? SLOTS.find((one) => one === part) : undefined
    return name === undefined ? [] : [{ slot: name, text: parts[index + 1] ?? '' }]
  })
  return { start: parts[0] ?? '', holes }
}

export function fillTemplate({ start, holes }: PayloadTemplate, values: SlotValues): string {
  let filled = start
  for (const hole of holes) filled += inJson(values[hole.slot]) + hole.text
  return filled
}

/** A random mark that nobody can guess, so that no message contains it by accident or on purpose. */
const MARK = randomBytes(16).toString('hex')
/** Matches one character that JSON may escape. A pattern that all characters must match takes twice as long. */
const MAY_NEED_ESCAPE = /[^\w.:~-]/

function inJson(text: string): string {
  return MAY_NEED_ESCAPE.test(text) ? JSON.stringify(text).slice(1, -1) : text
}
