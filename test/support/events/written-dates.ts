import * as fc from 'fast-check'

function digits(count: number, max: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max }).map((number) => String(number).padStart(count, '0'))
}

const DAY = fc
  .tuple(
    fc.constantFrom('2026', '2024', '2000', '1900', '0001', '0000', '9999'),
    digits(2, 13),
    digits(2, 32),
  )
  .map((parts) => parts.join('-'))
const MINUTES = fc.tuple(digits(2, 24), digits(2, 60)).map((parts) => parts.join(':'))
const FRACTION = fc
  .tuple(fc.constantFrom('.', ','), fc.stringMatching(/^(?:[09]{1,9}|[0-9]{1,10})$/))
  .map((parts) => parts.join(''))
const SECONDS = digits(2, 60).map((seconds) => `:${seconds}`)
const ZONE = fc.oneof(
  fc.constantFrom('', 'Z', 'z', ' '),
  fc
    .tuple(
      fc.constantFrom('+', '-'),
      digits(2, 24),
      fc.constantFrom('', ':'),
      fc.oneof(fc.constant(''), digits(2, 60)),
    )
    .map((parts) => parts.join('')),
)

/** Texts that look like dates: in every form there is, in some that are none, and on days that never were. */
export const WRITTEN_DATE: fc.Arbitrary<string> = fc.oneof(
  DAY,
  fc.tuple(DAY, fc.constantFrom(' ', 'T', 't'), MINUTES, SECONDS).map((parts) => parts.join('')),
  fc
    .tuple(
      DAY,
      fc.constant('T'),
      MINUTES,
      fc.oneof(fc.constant(''), SECONDS),
      fc.oneof(fc.constant(''), FRACTION),
      ZONE,
    )
    .map((parts) => parts.join('')),
)

/** One of each form that counts as a date, close together in time. */
export const DATE_FORMS = [
  '2026-03-01',
  '2026-02-27 11:59:59',
  '2026-03-01T13:00:00+01:00',
  '2026-03-01T12:00',
  '2026-03-01T09:00-0300',
  '2026-03-01T12:00:00,5Z',
  '2026-03-01T12:00:00.001Z',
  '2026-03-01T11:59:59.999999999Z',
  '2026-03-02T11:00:00+23',
  '2026-02-20T00:00:00.5Z',
  '0001-01-01',
  '0001-01-01T00:00:00+00:01',
] as const
