import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeScript, type Script } from './scripts.ts'

/** The look that all our pages share. */
export type Look = {
  /** The colours, the sizes and the typeface, as the beginning of a style sheet. */
  readonly css: string
  readonly font: Script
}

export async function loadLook(): Promise<Look> {
  const tokens = await readFile(join(HOME, 'web/look/tokens.css'), 'utf8')
  const font = makeScript(await readFile(FONT))
  return { css: `${fontFace(font.hash)}\n${tokens}`, font }
}

const HOME = join(import.meta.dirname, '../../..')
const FONT = join(HOME, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')

/** Letters beyond Latin come from the system. */
function fontFace(hash: string): string {
  return `@font-face { font-family: 'Inter Variable'; font-weight: 100 900; font-display: swap; src: url(/docs/inter.${hash}.woff2) format('woff2'); }`
}
