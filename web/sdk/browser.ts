/** The browser, as its user agent names it; the order matters, since most of them claim to be some of the others. */
export function browserName(userAgent: string): string | undefined {
  return NAMES.find(([mark]) => userAgent.includes(mark))?.[1]
}

const NAMES = [
  ['Edg', 'edge'],
  ['OPR', 'opera'],
  ['Samsung', 'samsung'],
  ['Firefox', 'firefox'],
  ['Chrome', 'chrome'],
  ['Safari', 'safari'],
] as const
