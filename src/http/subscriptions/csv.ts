/**
 * One line of an imported CSV file as the body that registers the same device. The columns are the fields of the body;
 * `endpoint`, `p256dh` and `auth` stand side by side, and tags are separated by semicolons. An empty cell is absent.
 */
export function bodyOfCsvRecord(record: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const cells = Object.entries(record)
    .map(([column, cell]) => [column.trim(), cell.trim()] as const)
    .filter(([, cell]) => cell !== '')
  const { endpoint, p256dh, auth, tags, ...rest } = Object.fromEntries(cells)
  const hasWeb = [endpoint, p256dh, auth].some((cell) => cell !== undefined)
  return {
    ...rest,
    ...(hasWeb ? { subscription: { endpoint, keys: { p256dh, auth } } } : {}),
    ...(tags === undefined ? {} : { tags: tagsOf(tags) }),
  }
}

function tagsOf(cell: string): readonly string[] {
  return cell
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
