import { type DatabaseUse, parseDatabaseUrl } from './postgres/database-url.ts'

/** Turns the text of a setting into a value, or describes the values that it may have. */
export type ParseSetting<Value> = (given: string) => ParsedSetting<Value>

export type ParsedSetting<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly expected: string }

export function integer(min: number, max: number): ParseSetting<number> {
  return (given) => {
    const value = Number(given)
    if (/^\d+$/.test(given) && value >= min && value <= max) return { ok: true, value }
    return { ok: false, expected: `a whole number from ${min} to ${max}` }
  }
}

type TextRange = { readonly charsMin?: number; readonly charsMax: number; readonly isSecret?: true }

/**
 * The text is never repeated in the answer, because it may be a secret. Everybody can read the placeholders of
 * compose.yaml and of the guides, so none of them may become a secret.
 */
export function text({ charsMin = 1, charsMax, isSecret }: TextRange): ParseSetting<string> {
  return (given) => {
    if (isSecret === true && PLACEHOLDER.test(given)) {
      return { ok: false, expected: 'a long random value of your own instead of a placeholder' }
    }
    if (given.trim() === given && given.length >= charsMin && given.length <= charsMax) {
      return { ok: true, value: given }
    }
    return { ok: false, expected: `${charsMin} to ${charsMax} characters with no space around them` }
  }
}

const PLACEHOLDER = /change.?me|(?:\.\.\.|…)$/i

export function choice<const Value extends string>(values: readonly Value[]): ParseSetting<Value> {
  return (given) => {
    const value = values.find((known) => known === given)
    if (value !== undefined) return { ok: true, value }
    return { ok: false, expected: `one of ${values.join(', ')}` }
  }
}

export function url(protocols: readonly string[]): ParseSetting<string> {
  return (given) => {
    if (protocols.includes(URL.parse(given)?.protocol ?? '')) return { ok: true, value: given }
    return {
      ok: false,
      expected: `an address that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`,
    }
  }
}

/** An address of PostgreSQL as libpq writes it, with one host or several. */
export function databaseUrl(use: DatabaseUse): ParseSetting<string> {
  return (given) => {
    const parsed = parseDatabaseUrl(given, use)
    return parsed.ok ? { ok: true, value: given } : parsed
  }
}

/** A host, with or without a port. Letter case does not matter. */
export function host(): ParseSetting<string> {
  return (given) => {
    const name = given.toLowerCase()
    if (URL.parse(`https://${name}`)?.host === name) return { ok: true, value: name }
    return { ok: false, expected: 'a host such as push.example.org or push.example.org:8443' }
  }
}

/**
 * A host and a port, as `host:port`. The port is required, also the usual one, because an exception is for one port only.
 * An IPv6 address is given in brackets and kept without them.
 */
export function hostPort(): ParseSetting<string> {
  return (given) => {
    const [, name = '', port = ''] = /^(.+):(\d{1,5})$/.exec(given.toLowerCase()) ?? []
    if (URL.parse(`https://${name}`)?.hostname === name && isPort(Number(port))) {
      return { ok: true, value: `${name.replace(/^\[(.*)\]$/, '$1')}:${Number(port)}` }
    }
    return { ok: false, expected: 'a host and a port such as 127.0.0.1:3000' }
  }
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535
}

/** Several values, separated by commas. */
export function list<Value>(parse: ParseSetting<Value>): ParseSetting<readonly Value[]> {
  return (given) => {
    const values: Value[] = []
    for (const part of given.split(',')) {
      const parsed = parse(part.trim())
      if (!parsed.ok) return { ok: false, expected: `a list with commas, each ${parsed.expected}` }
      values.push(parsed.value)
    }
    return { ok: true, value: values }
  }
}
