import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'

type MediaType = { readonly type: string; readonly isUtf8: boolean }

/** A content type taken apart. What names no charset is taken for UTF-8. */
export function readMediaType(contentType: string | undefined): MediaType {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((name) => name.startsWith('charset='))
  return { type: type.trim(), isUtf8: charset === undefined || UTF8.test(charset) }
}

/** From a page JSON may also come as plain text: that is what a browser sends without asking first. */
export function requireJsonText(contentType: string | undefined): Result<null> {
  const { type, isUtf8 } = readMediaType(contentType)
  return isUtf8 && type === 'text/plain' ? accept(null) : requireJson(contentType)
}

/** JSON is JSON in UTF-8; `application/vnd.x+json` counts, another charset does not. */
export function requireJson(contentType: string | undefined): Result<null> {
  const { type, isUtf8 } = readMediaType(contentType)
  return isUtf8 && JSON_TYPE.test(type) ? accept(null) : reject(fault('unsupported_media_type'))
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/
const UTF8 = /^charset="?(utf-?8|us-ascii)"?$/
