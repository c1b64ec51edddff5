/** What a page has to download, in bytes, zipped. A test holds the scripts to it. */
export const SCRIPT_BYTES_MAX = {
  'sdk.js': 8 * 1024,
  'sdk.mjs': 8 * 1024,
  'sw.js': 4 * 1024,
} as const
