/** The browser's name from its user agent. The order matters: most browsers also name others. */
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
