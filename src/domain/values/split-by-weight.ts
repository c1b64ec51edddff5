/** Splits a list into parts of at most `weightMax`. An item that is heavier is a part of its own. */
export function splitByWeight<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
  weightMax: number,
): readonly (readonly Item[])[] {
  const parts: Item[][] = []
  let weight = Number.POSITIVE_INFINITY
  for (const item of items) {
    weight += weightOf(item)
    if (weight > weightMax) {
      parts.push([])
      weight = weightOf(item)
    }
    parts.at(-1)?.push(item)
  }
  return parts
}
