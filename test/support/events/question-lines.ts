import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject, parseJson } from '../../../src/domain/values/json.ts'
import type { TestBrand } from '../database/database.ts'
import { keyHeaders } from '../processes/server.ts'

/** A question to the API: the body of a POST, or a GET without one. */
export type AskedLines = { readonly path: string; readonly body?: object }

type Line = { readonly port: number; readonly brand: TestBrand; readonly signal?: AbortSignal }

/** The lines of the reply to a question with its progress, as they come. */
export async function* questionLines(
  { port, brand, signal }: Line,
  { path, body }: AskedLines,
): AsyncGenerator<JsonObject> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/x-ndjson/)
  assert.ok(response.body !== null)
  let text = ''
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = `${text}${piece}`.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const value = parseJson(line)
      assert.ok(isJsonObject(value))
      yield value
    }
  }
  assert.equal(text, '')
}
