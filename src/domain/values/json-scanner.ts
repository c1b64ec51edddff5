import { type Path, pathTo } from './path.ts'

/** The bounds of a JSON text. A text within them costs little to parse, whatever it says. */
export type JsonBounds = {
  readonly depthMax: number
  /** Objects and lists, each of which takes many times its two bytes of memory. */
  readonly containersMax: number
  /** Members of objects and items of lists. */
  readonly valuesMax: number
  /** Members of any one object. */
  readonly membersMax: number
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
 * A comma, a colon or a bracket counts only in the state `structure`. Once a bound is exceeded the scanner can only tell
 * where.
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
  /** Of the object or list that is open: its members so far or the commas between its items, and which of the two it is. */
  #count = 0
  #isList = false
  /** Where the last text begins and ends. */
  #textFrom = 0
  #textTo = 0
  /** The same of the objects and lists around it, from the outside in; a name takes two places. */
  readonly #outerCounts: number[] = []
  readonly #outerLists: boolean[] = []
  readonly #outerNames: number[] = []
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

  /**
   * Where the object or list stands that is open, such as the one that goes beyond a bound: `nv[3].attributes`. `bytes` are
   * those of all pieces. A name is told as it is written, and a long path is cut.
   */
  placeIn(bytes: Uint8Array): Path {
    let path = ''
    // The first step leads to the outermost object or list, which has no name.
    for (let at = 1; at < this.#depth && path.length < PLACE_CHARS_MAX; at++) {
      const [from = 0, to = 0] = this.#outerNames.slice(at * 2, at * 2 + 2)
      const name = bytes.subarray(from, Math.min(to, from + PLACE_CHARS_MAX))
      path = pathTo(path, this.#outerLists[at] === true ? (this.#outerCounts[at] ?? 0) : decoder.decode(name))
    }
    return path.slice(0, PLACE_CHARS_MAX).toWellFormed()
  }

  /** The bound that the text goes beyond within this piece; null while it stays within all of them. */
  scan(piece: Uint8Array): JsonExcess | null {
    const { depthMax, containersMax, valuesMax, membersMax } = this.#bounds
    const { length } = piece
    // Local variables: every byte of every body passes here.
    const offset = this.#offset
    let values = this.#values
    let count = this.#count
    let textFrom = this.#textFrom
    let textTo = this.#textTo
    let isInString = this.#isInString
    let at = this.#isEscaped ? 1 : 0
    for (; at < length; at++) {
      const byte = piece[at]
      if (isInString) {
        while (at < length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++
        if (at >= length) break
        if (piece[at] === QUOTE) {
          isInString = false
          textTo = offset + at
        } else at++
      } else if (byte === QUOTE) {
        isInString = true
        textFrom = offset + at + 1
      } else if (byte === COLON) {
        count += 1
        if (count > membersMax) return 'membersMax'
      } else if (byte === COMMA) {
        values += 1
        if (values > valuesMax) return 'valuesMax'
        if (this.#isList) count += 1
        if (this.#depth === LIST_DEPTH) this.#cut(offset + at)
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#enter({ count, textFrom, textTo, isList: byte === OPEN_LIST })
        if (byte === OPEN_LIST && this.#depth === LIST_DEPTH) this.#openList(offset + at + 1)
        count = 0
        if (this.#depth > depthMax) return 'depthMax'
        if (this.#containers > containersMax) return 'containersMax'
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (this.#depth === LIST_DEPTH) this.#closeList(offset + at)
        count = this.#leave()
      }
    }
    this.#count = count
    this.#textFrom = textFrom
    this.#textTo = textTo
    this.#values = values
    this.#isInString = isInString
    // An escape whose second byte belongs to the next piece has moved one past the end.
    this.#isEscaped = at > length
    this.#offset += length
    return null
  }

  #enter({ count, textFrom, textTo, isList }: Entered): void {
    const depth = this.#depth
    this.#outerCounts[depth] = count
    this.#outerLists[depth] = this.#isList
    this.#outerNames[depth * 2] = textFrom
    this.#outerNames[depth * 2 + 1] = textTo
    this.#isList = isList
    this.#depth = depth + 1
    this.#containers += 1
  }

  #leave(): number {
    this.#depth -= 1
    this.#isList = this.#outerLists[this.#depth] ?? false
    return this.#outerCounts[this.#depth] ?? 0
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

/** An object or list at the moment it opens: the members or items before it, and the last text, which may be its name. */
type Entered = {
  readonly count: number
  readonly textFrom: number
  readonly textTo: number
  readonly isList: boolean
}

/** The top object is at depth one, and the value of its member at depth two. */
const LIST_DEPTH = 2
const NO_LIST = -1
const PLACE_CHARS_MAX = 200
const decoder = new TextDecoder()

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
