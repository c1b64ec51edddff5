import { fault } from '../domain/fault.ts'
import { accept, type Result, reject } from '../domain/result.ts'

/** JSON is JSON in UTF-8; `application/vnd.x+json` counts, another charset does not. */
export function requireJson(contentType: string | undefined): Result<null> {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (!JSON_TYPE.test(type.trim())) return reject(fault('unsupported_media_type'))
  const charset = parameters.map((parameter) => parameter.trim()).find((name) => name.startsWith('charset='))
  if (charset !== undefined && !UTF8.test(charset)) return reject(fault('unsupported_media_type'))
  return accept(null)
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/
const UTF8 = /^charset="?(utf-?8|us-ascii)"?$/
