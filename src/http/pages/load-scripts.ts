import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleAll } from '../../runtime/bundle.ts'
import { makeScript, type Script, type Scripts } from './scripts.ts'

/** Bundles the scripts that pages load from `web/`, once for each process. */
export async function loadScripts(): Promise<Scripts> {
  const texts = await bundleAll({
    'sdk.js': { entry: join(WEB, 'sdk', 'script.ts'), format: 'iife' },
    'sdk.mjs': { entry: join(WEB, 'sdk', 'module.ts'), format: 'esm' },
    'preferences.mjs': { entry: join(WEB, 'sdk', 'preferences.ts'), format: 'esm' },
    'sw.js': { entry: join(WEB, 'service-worker', 'worker.ts'), format: 'iife' },
  })
  const made = (name: string): Script => makeScript(texts.get(name) ?? '')
  return {
    'sdk.js': made('sdk.js'),
    'sdk.mjs': made('sdk.mjs'),
    'sdk.d.ts': makeScript(await readFile(join(WEB, 'sdk', 'beckon.d.ts'), 'utf8')),
    'preferences.mjs': made('preferences.mjs'),
    'sw.js': made('sw.js'),
  }
}

const WEB = join(import.meta.dirname, '../../../web')
