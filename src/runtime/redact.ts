/**
 * Makes fields safe to log. Fields with the name of a secret are left out at any depth, text that looks like a key or a
 * password is cut out, and of an error only the name, code, message, stack and cause are logged: PostgreSQL puts whole
 * rows into other properties.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cutKeys(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) return '…'
  if (value instanceof Error) return describeError(value, depth)
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      TELLING.test(name) ? '[left out]' : redact(field, depth + 1),
    ]),
  )
}

/** Cuts keys, bearer tokens and passwords in addresses out of a text. */
export function cutKeys(text: string): string {
  const short = text.slice(0, CHARS_MAX)
  if (!SUSPECT.test(short)) return short
  return KEYS.reduce((safe, pattern) => safe.replaceAll(pattern, '$1[left out]'), short)
}

/** Every text that one of `KEYS` changes has one of these; most texts have none, and are looked at once. */
const SUSPECT = /bk_|bearer|:\/\/|-----BEGIN/i

const DEPTH_MAX = 6
const ITEMS_MAX = 50
const CHARS_MAX = 4096

/** Field names, in any spelling, of secrets and of message texts. */
const TELLING =
  /token|secret|password|authorization|cookie|api.?key|private.?key|p256dh|^auth$|^key$|endpoint|body|payload|^title$|^message_text$|attributes|email|mobile/i

const KEYS = [
  /(bk_(?:secret|public)_)[\w-]+/g,
  /(\bbearer\s+)[\w.~+/=-]+/gi,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:)[^\s@]+(?=@)/gi,
  /()-----BEGIN [\s\S]*?(?:-----END [^-]*-----|$)/g,
]

function describeError(error: Error, depth: number): unknown {
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: cutKeys(error.message),
    stack: cutKeys(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  }
}
