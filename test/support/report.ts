import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** Collects what the test runner says: a line for each file, each failure in full as it happens and by name at the end, and one line of counts. */
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

  /** Takes the events of one process that runs the files one after another, each as a test with tests in it. */
  async follow(events: AsyncIterable<TestEvent>, files: readonly string[]): Promise<void> {
    let passed = 0
    let left = files
    for await (const event of events) {
      if (event.type === 'test:stderr' || event.type === 'test:stdout')
        process.stdout.write(event.data.message)
      if (event.type === 'test:fail') this.#addFailure(event.data, left)
      if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
      if (event.data.nesting > 0) {
        passed += this.#countPassed(event)
        continue
      }
      this.#closeFile(event, passed)
      passed = 0
      left = left.filter((file) => file !== event.data.name)
    }
  }

  print(brokenChecks: number): void {
    if (this.#failures.length > 0) process.stdout.write('\nFAILED, each with its cause above:\n')
    for (const failure of this.#failures) process.stdout.write(`  ${failure}\n`)
    if (this.#skipped.length > 0) process.stdout.write('\nSKIPPED, so not proved by this run:\n')
    for (const line of this.#skipped) process.stdout.write(`  ${line}\n`)
    if (brokenChecks > 0)
      process.stdout.write(`\n${brokenChecks} of the checks before the tests failed, see above\n`)
    const failed = this.failed + brokenChecks
    process.stdout.write(`\n${this.passed} passed, ${failed} failed, ${this.#skipped.length} skipped\n`)
  }

  #countPassed({ type, data }: Ended): number {
    if (type === 'test:fail' || data.details.type === 'suite') return 0
    if (data.skip === undefined) return 1
    this.#skipped.push(`${data.name}: ${String(data.skip)}`)
    return 0
  }

  #closeFile({ type, data: { name, details } }: Ended, passed: number): void {
    this.passed += passed
    const seconds = (details.duration_ms / 1000).toFixed(1)
    process.stdout.write(`${type === 'test:pass' ? 'ok    ' : 'FAILED'} ${name} (${passed}, ${seconds} s)\n`)
  }

  #addFailure({ name, file, line, nesting, details }: Failure, left: readonly string[]): void {
    const { error } = details
    const failureType = 'failureType' in error ? error.failureType : undefined
    if (failureType === 'subtestsFailed') return
    // A process that ended before its tests did gives only its own name.
    const title = nesting === 0 && !left.includes(name) ? `one of ${left.join(', ')}` : name
    const place = file === undefined ? '' : ` (${relative(this.#home, file)}:${line ?? 0})`
    this.#failures.push(`${title}${place}`)
    process.stdout.write(`FAILED ${title}${place}\n${inspect(error.cause ?? error)}\n`)
  }
}

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>
type Failure = Extract<TestEvent, { type: 'test:fail' }>['data']
