import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** Collects what the test runner says: a line for each file, failures in full, and one line of counts. */
export class Report {
  passed = 0
  readonly #home: string
  readonly #skipped: string[] = []
  readonly #failures: string[] = []

  constructor(home: string) {
    this.#home = home
  }

  get failed(): number {
    return this.#failures.length
  }

  take(event: TestEvent): void {
    if (event.type === 'test:stderr' || event.type === 'test:stdout') process.stdout.write(event.data.message)
    if (event.type === 'test:summary' && event.data.file !== undefined) this.#closeFile(event.data)
    if (event.type === 'test:pass' && event.data.skip !== undefined) {
      this.#skipped.push(`${event.data.name}: ${String(event.data.skip)}`)
    }
    if (event.type === 'test:fail') this.#addFailure(event.data)
  }

  print(brokenChecks: number): void {
    for (const failure of this.#failures) process.stdout.write(`\nFAILED ${failure}\n`)
    if (this.#skipped.length > 0) process.stdout.write('\nSKIPPED, so not proved by this run:\n')
    for (const line of this.#skipped) process.stdout.write(`  ${line}\n`)
    if (brokenChecks > 0)
      process.stdout.write(`\n${brokenChecks} of the checks before the tests failed, see above\n`)
    const failed = this.failed + brokenChecks
    process.stdout.write(`\n${this.passed} passed, ${failed} failed, ${this.#skipped.length} skipped\n`)
  }

  #closeFile({ file, counts, duration_ms: ms, success }: FileSummary): void {
    this.passed += counts.passed
    const name = relative(this.#home, file ?? '')
    process.stdout.write(
      `${success ? 'ok    ' : 'FAILED'} ${name} (${counts.passed}, ${(ms / 1000).toFixed(1)} s)\n`,
    )
  }

  #addFailure({ name, file, line, details }: Failure): void {
    const isOnlyAboutItsParts =
      'failureType' in details.error && details.error.failureType === 'subtestsFailed'
    if (isOnlyAboutItsParts) return
    const place = file === undefined ? '' : ` (${relative(this.#home, file)}:${line ?? 0})`
    this.#failures.push(`${name}${place}\n${inspect(details.error.cause ?? details.error)}`)
  }
}

type FileSummary = Extract<TestEvent, { type: 'test:summary' }>['data']
type Failure = Extract<TestEvent, { type: 'test:fail' }>['data']
