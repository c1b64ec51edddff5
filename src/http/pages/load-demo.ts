import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAll } from '../../runtime/bundle.ts'
import { loadLook } from './load-look.ts'

/** The texts of the demo shop. */
export type DemoTexts = { readonly page: string; readonly style: string; readonly script: string }

/** Makes the demo shop out of `web/demo/`, once for each process. */
export async function loadDemo(): Promise<DemoTexts> {
  const scripts = await bundleAll({ script: { entry: join(FOLDER, 'demo.ts'), format: 'esm' } })
  const { css } = await loadLook()
  return {
    page: await readFile(join(FOLDER, 'index.html'), 'utf8'),
    style: css + (await readFile(join(FOLDER, 'demo.css'), 'utf8')),
    script: scripts.get('script') ?? '',
  }
}

const FOLDER = join(import.meta.dirname, '../../../web/demo')
