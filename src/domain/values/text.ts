/** Text as the contract counts it: a character is a Unicode code point, a byte is a UTF-8 byte (decisions §2). */
export function countChars(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Whether the text has more code points than the limit; `null` sets none. The length decides most texts. */
export function isLonger(text: string, charsMax: number | null): boolean {
  if (charsMax === null || text.length <= charsMax) return false
  return text.length > 2 * charsMax || countChars(text) > charsMax
}

/**
 * The reason why a text cannot be stored and sent as it is: PostgreSQL has no NUL in a text, and a lone surrogate has
 * no UTF-8. Null when nothing does.
 */
export function flawOf(text: string): string | null {
  if (text.includes('\u0000')) return 'it contains a NUL character'
  if (!text.isWellFormed()) return 'it contains half of a surrogate pair'
  return null
}

/**
 * Cuts a text to at most `charsMax` code points, the ellipsis included, at the end of a word where there is one in
 * the second half, and never inside what a reader sees as one character.
 */
export function cutAtWord(text: string, charsMax: number): string {
  if (!isLonger(text, charsMax)) return text
  const room = charsMax - ELLIPSIS.length
  if (room <= 0) return ELLIPSIS.slice(0, charsMax)
  const head = wholeCharacters(text, room)
  const word = text[head.length] === ' ' ? head : head.slice(0, lastSpace(head))
  const kept = word.length * 2 >= head.length ? word : head
  return kept.trimEnd() + ELLIPSIS
}

const ELLIPSIS = '…'

function wholeCharacters(text: string, charsMax: number): string {
  let chars = 0
  let end = 0
  for (const { segment } of graphemesOf(text)) {
    chars += countChars(segment)
    if (chars > charsMax) break
    end += segment.length
  }
  return text.slice(0, end)
}

/** The characters as a reader sees them. The first segmenter of a process takes 40 ms, and most processes cut no text. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

let segmenter: Intl.Segmenter | undefined

/** Where the last space or line break of the text is; 0 when it is one word. */
function lastSpace(text: string): number {
  return Math.max(0, text.search(/\s\S*$/u))
}
