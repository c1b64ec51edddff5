import { fact } from '../shared/facts.ts'
import { isObject, post } from '../shared/post.ts'
import type { Preferences } from './beckon.d.ts'

/**
 * Reads the visitor's preferences, and changes them first if a list of opt-outs is given. It is a script of its own,
 * served as /preferences.mjs: few pages need it, so the SDK loads it on demand.
 */
export async function preferences(optOuts: unknown): Promise<Preferences> {
  const site = await fact('site')
  const visitor = await fact('visitor')
  const body = optOuts === undefined ? { visitor } : { visitor, opt_outs: optOuts }
  const answer = await post(`${site?.api}/api/v1/visitors/preferences?key=${site?.key}`, body)
  const { preferences: found } = answer.body
  if (answer.status === 200 && isPreferences(found)) return found
  throw new Error(`beckon: ${answer.status === 0 ? 'no answer' : String(answer.body['message'])}`)
}

function isPreferences(given: unknown): given is Preferences {
  return isObject(given) && Array.isArray(given['topics'])
}
