/**
 * The known name that somebody most likely meant: the same in another case, in camel case, with hyphens or in the
 * plural, or one or two letters off. Null when no name is close. A short name has to be closer than a long one.
 */
export function nearestName(given: string, known: Iterable<string>): string | null {
  if (given.length > NAME_CHARS_MAX) return null
  const bare = bareName(given)
  let nearest: string | null = null
  let least = editsMax(bare) + 1
  for (const name of known) {
    const edits = editDistance(bare, bareName(name), least)
    if (edits < least) [nearest, least] = [name, edits]
  }
  return nearest
}

/** No field has a longer name, so a longer one is no typing mistake. */
const NAME_CHARS_MAX = 40

/** `dryRun`, `dry-run` and `DRY_RUN` are one name; so are `tag` and `tags`. */
function bareName(name: string): string {
  const letters = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return letters.length > SHORT_CHARS && letters.endsWith('s') ? letters.slice(0, -1) : letters
}

const SHORT_CHARS = 3

function editsMax(bare: string): number {
  if (bare.length <= SHORT_CHARS) return 0
  return bare.length < 6 ? 1 : 2
}

/**
 * How many letters must be added, removed, replaced or swapped with their neighbour to make one word of the other
 * (optimal string alignment); `bound` stands for that many or more.
 */
function editDistance(one: string, other: string, bound: number): number {
  if (Math.abs(one.length - other.length) >= bound) return bound
  let before: readonly number[] = []
  let above: readonly number[] = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const line = [row]
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1]
      const isSwapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      line.push(
        Math.min(
          (above[at] ?? bound) + 1,
          (line[at - 1] ?? bound) + 1,
          (above[at - 1] ?? bound) + (isSame ? 0 : 1),
          isSwapped ? (before[at - 2] ?? bound) + 1 : bound,
        ),
      )
    }
    before = above
    above = line
  }
  return Math.min(bound, above[other.length] ?? bound)
}
