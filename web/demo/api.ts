export type ApiCall = {
  readonly secret: string
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/** Calls Beckon as the shop's server would. Rejects with Beckon's own sentence when it refuses. */
export async function callApi({ secret, path, body, method }: ApiCall): Promise<Reply> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const reply = await fetch(path, {
    headers,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: Reply = await reply.json()
  if (!reply.ok) throw new Error(String(answer['message']))
  return answer
}

type Reply = Readonly<Record<string, unknown>>

/** The same call as a person types it. */
export function curlOf({ secret, path, body, method }: ApiCall): string {
  const verb = method === 'DELETE' ? ' -X DELETE' : ''
  const sent =
    body === undefined ? '' : ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`
  return `curl ${location.origin}${path}${verb} \\\n  -H 'authorization: Bearer ${secret.slice(0, 12)}…'${sent}`
}
