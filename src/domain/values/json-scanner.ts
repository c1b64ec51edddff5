/** The bounds of a JSON text. A text within them costs little to parse, whatever it says. */
export type JsonBounds = {
  readonly depthMax: number
  /** Objects and lists, each of which takes many times its two bytes of memory. */
  readonly containersMax: number
  /** Members of objects and items of lists. */
  readonly valuesMax: number
}

/** The bound that a text went beyond. */
export type JsonExcess = keyof JsonBounds

/**
 * A list of at least `LONG_LIST_BYTES` that is a member of the top object, such as `nv`: the bytes between its brackets,
 * and the commas at which it can be cut into slices of about `SLICE_BYTES`.
 */
export type LongList = { readonly from: number; readonly to: number; readonly cuts: readonly number[] }

/** A shorter list is parsed in one go, which takes a few milliseconds. */
const LONG_LIST_BYTES = 1024 * 1024
/** The text of a slice is garbage at once. So small, it dies in the young part of the heap, where collections are cheap. */
const SLICE_BYTES = 64 * 1024

/**
 * Looks through the bytes of a JSON text piece by piece, before anything is parsed, so that a text made to be costly
 * is refused at the byte where it goes too far. It does not judge whether the text is JSON: the parser does.
 *
 * | state | next byte | moves to |
 * |---|---|---|
 * | structure | `"` | string |
 * | string | `\` | string, and the byte after it is skipped |
 * | string | `"` | structure |
 *
 * A comma or a bracket counts only in the state `structure`. Once a bound is exceeded the scanner is of no more use.
 */
export class JsonScanner {
  readonly #bounds: JsonBounds
  readonly #longLists: LongList[] = []
  /** The bytes of the pieces before this one. */
  #offset = 0
  #depth = 0
  #containers = 0
  #values = 0
  #isInString = false
  #isEscaped = false
  /** The list at depth two that is open; its cuts so far. */
  #listFrom = NO_LIST
  #cuts: number[] = []

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  /** The long lists of more than one slice, in the order they stand in the text. */
  get longLists(): readonly LongList[] {
    return this.#longLists
  }

  /** The bound that the text goes beyond within this piece; null while it stays within all of them. */
  scan(piece: Uint8Array): JsonExcess | null {
    const { depthMax, containersMax, valuesMax } = this.#bounds
    const { length } = piece
    // Local variables: every byte of every body passes here.
    let depth = this.#depth
    let containers = this.#containers
    let values = this.#values
    let isInString = this.#isInString
    let at = this.#isEscaped ? 1 : 0
    for (; at < length; at++) {
      const byte = piece[at]
      if (isInString) {
        while (at < length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++
        if (at >= length) break
        if (piece[at] === QUOTE) isInString = false
        else at++
      } else if (byte === QUOTE) isInString = true
      else if (byte === COMMA) {
        values += 1
        if (values > valuesMax) return 'valuesMax'
        if (depth === LIST_DEPTH) this.#cut(this.#offset + at)
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth += 1
        containers += 1
        if (depth > depthMax) return 'depthMax'
        if (containers > containersMax) return 'containersMax'
        if (depth === LIST_DEPTH && byte === OPEN_LIST) this.#openList(this.#offset + at + 1)
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (depth === LIST_DEPTH) this.#closeList(this.#offset + at)
        depth -= 1
      }
    }
    this.#depth = depth
    this.#containers = containers
    this.#values = values
    this.#isInString = isInString
    // An escape whose second byte belongs to the next piece has moved one past the end.
    this.#isEscaped = at > length
    this.#offset += length
    return null
  }

  #openList(at: number): void {
    this.#listFrom = at
    this.#cuts = []
  }

  #cut(at: number): void {
    if (this.#listFrom === NO_LIST) return
    if (at - (this.#cuts.at(-1) ?? this.#listFrom) >= SLICE_BYTES) this.#cuts.push(at)
  }

  #closeList(at: number): void {
    const isLong = this.#listFrom !== NO_LIST && at - this.#listFrom >= LONG_LIST_BYTES
    if (isLong && this.#cuts.length > 0) {
      this.#longLists.push({ from: this.#listFrom, to: at, cuts: this.#cuts })
    }
    this.#listFrom = NO_LIST
  }
}

/** The top object is at depth one, and the value of its member at depth two. */
const LIST_DEPTH = 2
const NO_LIST = -1

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
