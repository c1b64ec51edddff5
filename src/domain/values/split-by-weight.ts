/** Cuts a list into parts whose weights add up to at most that; one item that is heavier stands alone. */
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
