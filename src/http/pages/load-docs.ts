import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAll } from '../../runtime/bundle.ts'
import { GUIDE_SECTIONS } from '../reference/guide-list.ts'
import { loadLook } from './load-look.ts'
import { makeScript, type Script } from './scripts.ts'

/** The files of the site under `/docs`: the texts of the guides by name, and what its pages load. */
export type DocsFiles = {
  readonly guides: ReadonlyMap<string, string>
  readonly style: Script
  readonly script: Script
  readonly font: Script
}

/** Reads the guides and makes the files of the site out of `web/docs/`, once for each process. */
export async function loadDocs(): Promise<DocsFiles> {
  const scripts = await bundleAll({ script: { entry: join(HOME, 'web/docs/docs.ts'), format: 'iife' } })
  const { css, font } = await loadLook()
  const style = await readFile(join(HOME, 'web/docs/docs.css'), 'utf8')
  const rows = GUIDE_SECTIONS.flatMap(({ guides }) => guides)
  const guides = rows.map(async ({ name, file }) => [name, await readFile(join(HOME, file), 'utf8')] as const)
  return {
    guides: new Map(await Promise.all(guides)),
    style: makeScript(css + style),
    script: makeScript(scripts.get('script') ?? ''),
    font,
  }
}

const HOME = join(import.meta.dirname, '../../..')
