import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'

type MediaType = { readonly type: string; readonly isUtf8: boolean }

/** The parts of a content type. Without a charset it counts as UTF-8. */
export function readMediaType(contentType: string | undefined): MediaType {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((name) => name.startsWith('charset='))
  return { type: type.trim(), isUtf8: charset === undefined || UTF8.test(charset) }
}

/** A page may also send JSON as plain text, because a browser sends that without a preflight. */
export function requireJsonText(contentType: string | undefined): Result<null> {
  const { type, isUtf8 } = readMediaType(contentType)
  return isUtf8 && type === 'text/plain' ? accept(null) : requireJson(contentType)
}

/** Accepts what a browser sends for a form without files. */
export function requireForm(contentType: string | undefined): Result<null> {
  const { type, isUtf8 } = readMediaType(contentType)
  const isForm = isUtf8 && type === 'application/x-www-form-urlencoded'
  return isForm ? accept(null) : reject(fault('unsupported_media_type'))
}

/** Accepts JSON in UTF-8, also `application/vnd.x+json`, and refuses other charsets. */
export function requireJson(contentType: string | undefined): Result<null> {
  const { type, isUtf8 } = readMediaType(contentType)
  return isUtf8 && JSON_TYPE.test(type) ? accept(null) : reject(fault('unsupported_media_type'))
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/
const UTF8 = /^charset="?(utf-?8|us-ascii)"?$/
