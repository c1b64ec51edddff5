import { encodeJson } from '../../../src/domain/values/json.ts'
import type { Platform } from '../../../src/rules/platforms.ts'
import { PUSH_MODES, type PushMode } from '../../../src/rules/push.ts'
import type { TestBrand } from '../database/database.ts'
import { type Answer, call, keyHeaders } from '../processes/server.ts'

export type PushCall = {
  readonly platform?: Platform
  readonly mode?: PushMode
  /** In place of the usual spelling of the address. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Added to a title and a message. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** One push request with the brand's key; whole numbers beyond 2^53 are bigints. */
export async function push(port: number, brand: TestBrand, request: PushCall = {}): Promise<Answer> {
  const { platform = 'android', mode = 'send', headers = {}, body = {} } = request
  return call(port, {
    method: 'POST',
    path: request.path ?? `/api/v1/${platform}/${PUSH_MODES[mode].path}`,
    headers: { ...keyHeaders(brand), 'content-type': 'application/json', ...headers },
    body: encodeJson({ title: 'Hello', message: 'World', ...body }),
  })
}

/** The notification in a reply. */
export function notificationIn({ body }: Answer): Readonly<Record<string, unknown>> {
  const { notification } = body
  return typeof notification === 'object' && notification !== null
    ? Object.fromEntries(Object.entries(notification))
    : {}
}

export function idIn(answer: Answer): string {
  return String(notificationIn(answer)['id'])
}

export function codesIn({ body }: Answer): readonly unknown[] {
  const { errors } = body
  if (!Array.isArray(errors)) return []
  return errors.map((error: unknown) =>
    typeof error === 'object' && error !== null && 'code' in error ? error.code : null,
  )
}
