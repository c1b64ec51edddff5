/**
 * A program for `npm test`: runs the test files that are named one after another in this process, each as a test with
 * hooks of its own. They load Beckon once, which takes longer than most of them do.
 */
import { relative, resolve } from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) {
  void test(relative('', file), async () => {
    // The first test of a file begins when the last line of the file has run, as it does in a process of its own.
    const loaded = Promise.withResolvers<void>()
    before(async () => loaded.promise)
    await import(pathToFileURL(resolve(file)).href).finally(loaded.resolve)
  })
}
