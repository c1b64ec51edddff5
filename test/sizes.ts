/** Prints what a page has to download, and fails when it is too much. */
import { loadScripts } from '../src/http/pages/load-scripts.ts'
import { SCRIPT_BYTES_MAX } from '../src/rules/limits.ts'

const scripts = Object.entries(await loadScripts())
for (const [name, bytesMax] of Object.entries(SCRIPT_BYTES_MAX)) {
  const bytes = scripts.find(([known]) => known === name)?.[1].gzip.length ?? Number.POSITIVE_INFINITY
  process.stdout.write(`       ${name} ${bytes} of ${bytesMax} bytes, zipped\n`)
  if (bytes > bytesMax) process.exitCode = 1
}
