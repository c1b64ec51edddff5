/** An instant as PostgreSQL writes it, in milliseconds. Sessions are in UTC. */
export function parseInstant(text: string): number {
  const isUsual = text.charAt(4) === '-' && text.charAt(10) === ' ' && text.endsWith('+00')
  const year = isUsual ? digits(text, 0, 4) : 0
  // `Date.UTC` takes the first hundred years for those of the twentieth century.
  if (year < 100) return parseUnusual(text)
  const [month, day] = [digits(text, 5, 7), digits(text, 8, 10)]
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)]
  return Date.UTC(year, month - 1, day, hour, minute, second, fractionMs(text))
}

function parseUnusual(text: string): number {
  // `Date.parse` takes `0001-01-01 00:00:00+00` for 2001, so the text is made ISO 8601 first.
  return Date.parse(text.replace(' ', 'T').replace('+00', 'Z'))
}

function digits(text: string, start: number, end: number): number {
  let number = 0
  for (let place = start; place < end; place += 1) number = 10 * number + text.charCodeAt(place) - ZERO
  return number
}

/** PostgreSQL writes up to six digits, and no zeros at the end. */
function fractionMs(text: string): number {
  if (text.charAt(19) !== '.') return 0
  const end = Math.min(text.length - '+00'.length, 23)
  return digits(text, 20, end) * 10 ** (23 - end)
}

const ZERO = '0'.charCodeAt(0)
