export type NumberRange = { readonly usual: number; readonly min: number; readonly max: number }

/** A whole number that a word of the address names, brought into its range; the usual one without such a word. */
export function numberIn(word: string | undefined, { usual, min, max }: NumberRange): number {
  const number = Number.parseInt(word ?? '', 10)
  return Number.isNaN(number) ? usual : Math.min(max, Math.max(min, number))
}
