import { REFUSED_SCHEMES } from '../../rules/push.ts'

/**
 * The fault of an address that a tap opens; null when there is none (decisions §3). An address is judged as the
 * device will read it: the URL parser drops tabs and line breaks, so `java\nscript:` is found out.
 */
export function linkFlaw(text: string, rules: { readonly allowsAppScheme: boolean }): string | null {
  const scheme = schemeOf(text)
  if (scheme === null) return 'it must be a full URL that begins with https://'
  if (REFUSED.has(scheme)) return `links with ${scheme} are not allowed`
  if (scheme === 'https:' || scheme === 'http:') return WEB_ADDRESS.test(text) ? null : NO_HOST
  if (!rules.allowsAppScheme) return 'only http and https URLs are allowed'
  return BLANK.test(text) ? 'it contains a space or a control character' : null
}

/** The fault of an address that a device fetches by itself; null when there is none. */
export function httpsFlaw(text: string): string | null {
  if (schemeOf(text) !== 'https:') return 'it must be a full URL that begins with https://'
  return WEB_ADDRESS.test(text) ? null : NO_HOST
}

const REFUSED = new Set<string>(REFUSED_SCHEMES)
const WEB_ADDRESS = /^https?:\/\/[^\s\p{Cc}/?#]+[^\s\p{Cc}]*$/iu
const NO_HOST = 'it has no host, or it contains a space or a control character'
const BLANK = /[\s\p{Cc}]/u

function schemeOf(text: string): string | null {
  return URL.canParse(text) ? new URL(text).protocol : null
}
