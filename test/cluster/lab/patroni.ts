import { until } from '../../support/until.ts'
import { fieldsOf } from '../fields.ts'
import { type Host, NODES } from './network.ts'

const ASK_MS = 1_500

export type Member = {
  readonly host: Host
  readonly role: string
  readonly state: string
  readonly timeline: number
}

/** The answer of one node about all of them; null if none answers. */
export async function members(): Promise<readonly Member[] | null> {
  const answers = await Promise.all(NODES.map(async (host) => ask(host, '/cluster')))
  const listed = answers.find((answer) => answer !== null)?.['members']
  if (!Array.isArray(listed)) return null
  return listed.map((one) => {
    const { name, role, state, timeline } = fieldsOf(one)
    const host = NODES.find((node) => node.name === name) ?? NODES[0]
    return { host, role: String(role), state: String(state), timeline: Number(timeline) }
  })
}

/** The node that holds the lock and accepts writes. A node that was cut off may still think so, and can be left out. */
export async function findPrimary(without: readonly Host[] = []): Promise<Host | null> {
  const asked = NODES.filter(({ name }) => !without.some((host) => host.name === name))
  const answers = await Promise.all(
    asked.map(async (host) => ({ host, isPrimary: (await ask(host, '/primary')) !== null })),
  )
  const primaries = answers.filter(({ isPrimary }) => isPrimary)
  return primaries.length === 1 ? (primaries[0]?.host ?? null) : null
}

/** A node on a busy machine may answer late, so it is asked again. */
export async function waitForPrimary(): Promise<Host> {
  const found: Host[] = []
  const look = async (): Promise<boolean> => {
    const host = await findPrimary()
    if (host !== null) found.push(host)
    return host !== null
  }
  await until(look, { what: 'a primary' })
  return found[0] ?? NODES[0]
}

/**
 * Whether one primary and two standbys stream, and a commit waits for a standby. Each node is asked itself: what one node
 * says of the others may be of before they were off.
 */
export async function isWhole(): Promise<boolean> {
  const primary = await findPrimary()
  const standbys = NODES.filter(({ name }) => name !== primary?.name)
  const answers = await Promise.all(standbys.map(async (host) => ask(host, '/quorum')))
  if (primary === null || answers.includes(null)) return false
  const all = (await members()) ?? []
  const timelines = new Set(all.map(({ timeline }) => timeline))
  return timelines.size === 1 && all.filter(({ state }) => state === 'streaming').length === standbys.length
}

/** Asks for a planned switchover. */
export async function switchOver(from: Host, to?: Host): Promise<void> {
  const reply = await fetch(`http://${from.address}:8008/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: from.name, ...(to === undefined ? {} : { candidate: to.name }) }),
    signal: AbortSignal.timeout(60_000),
  })
  if (!reply.ok) throw new Error(`switchover: ${reply.status} ${await reply.text()}`)
}

/** The fields of a good answer; null otherwise. */
async function ask({ address }: Host, path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const reply = await fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(ASK_MS) })
    return reply.ok ? fieldsOf(await reply.json()) : null
  } catch {
    // A node that is off, cut off or frozen does not answer.
    return null
  }
}
