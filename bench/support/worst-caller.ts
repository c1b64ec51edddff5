/** Sends the bodies that it is told, from a process of its own: building 60 MB must not be charged to the server. */
import { gzipSync } from 'node:zlib'
import { bodyOf, type Recipe } from './worst-recipe.ts'

export type WorstCall = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly recipe: Recipe
  readonly bytesMax: number
}

/** `status` 0: the body is larger than the route takes, and was not sent. */
export type WorstAnswer = { readonly status: number; readonly bytes: number }

process.on('message', (call: WorstCall) => {
  void answer(call).then((answered) => process.send?.(answered))
})

async function answer({ url, method, headers, recipe, bytesMax }: WorstCall): Promise<WorstAnswer> {
  // Changes inside of each other multiply, and would never end.
  const values = recipe.mutations.reduce((product, { size }) => product * size, 1)
  if (values > bytesMax) return { status: 0, bytes: 0 }
  const body = Buffer.from(bodyOf(recipe))
  if (body.length > bytesMax) return { status: 0, bytes: body.length }
  const zipped = gzipSync(body, { level: 1 })
  const sent = { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const reply = await fetch(url, { method, headers: sent, body: zipped })
  await reply.arrayBuffer()
  return { status: reply.status, bytes: body.length }
}
