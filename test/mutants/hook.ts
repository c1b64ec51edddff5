/** Loaded by `--import` into the process under test: changes one place of one source file as it is read. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const wanted = process.env['BECKON_MUTANT']
if (wanted !== undefined) {
  const { path, start, end, replacement } = JSON.parse(wanted)
  const url = pathToFileURL(path).href
  registerHooks({
    load(address, context, nextLoad) {
      const loaded = nextLoad(address, context)
      if (address !== url) return loaded
      const source = readFileSync(path, 'utf8')
      return { ...loaded, source: `${source.slice(0, start)}${replacement}${source.slice(end)}` }
    },
  })
}
