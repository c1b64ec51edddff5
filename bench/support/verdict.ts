/** Says whether a figure met its bar; a bar that was missed fails the run. */
export function verdict(what: string, isGood: boolean, bar: string): void {
  process.stdout.write(`${isGood ? 'ok    ' : 'MISSED'} ${what} (${bar})\n`)
  if (!isGood) process.exitCode = 1
}
