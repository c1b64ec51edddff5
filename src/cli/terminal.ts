/** Prints lines to standard output. Logs go to standard error. */
export function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** An instant as the API writes it. */
export function instantText(at: number): string {
  return new Date(at).toISOString()
}

/** A number of rows in words: `1,234 rows`. */
export function countRows(rows: number): string {
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`
}

/** Columns as wide as their widest cell, two spaces apart. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Breaks a sentence into lines of at most `width` characters. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split(' ').reduce<readonly string[]>((lines, word) => {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) return [...lines, word]
    return [...lines.slice(0, -1), `${last} ${word}`]
  }, [])
}
