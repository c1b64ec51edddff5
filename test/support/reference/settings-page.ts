import type { SettingText } from '../../../src/runtime/setting-row.ts'

/** docs/settings.md, from the table of settings; a test holds the file to it. */
export function renderSettings(settings: readonly SettingText[]): string {
  const rows = settings.map(({ name, default: unset, meaning }) => `| \`${name}\` | ${unset} | ${meaning} |`)
  return [...HEAD, ...rows, ''].join('\n')
}

const HEAD = [
  '# Settings',
  '',
  'Beckon reads its settings from the environment, once, at start. A bad value stops the start and is named.',
  'An empty value counts as not set. This page is rendered from the table in `src/config.ts`; after a change there,',
  'run `npm run docs`.',
  '',
  '| name | when not set | meaning |',
  '|---|---|---|',
]
