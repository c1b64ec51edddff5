import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOME } from './lab/apps.ts'
import { PASSWORD } from './lab/nodes.ts'

/**
 * The indented lines of docs/cluster.md after these words, one text for each block, up to the end of the section: what a drill runs
 * is what the page says, but for the password.
 */
export function commandsAfter(words: string): readonly string[] {
  const page = readFileSync(join(HOME, 'docs/cluster.md'), 'utf8')
  const [, after = ''] = page.split(words)
  const [section = ''] = after.split(/^#+ /m)
  const blocks = section.match(/^(?: {4}.*\n)+/gm) ?? []
  return blocks.map((block) => block.replaceAll(/^ {4}/gm, '').replaceAll('…', PASSWORD))
}

/** The block that has these words. */
export function blockWith(blocks: readonly string[], words: RegExp): string {
  const found = blocks.filter((block) => words.test(block))
  assert.equal(found.length, 1, `one block of the page with ${words}`)
  return found[0] ?? ''
}
