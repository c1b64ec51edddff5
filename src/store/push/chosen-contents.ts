import { type ContentChoice, type ContentOffer, contentChooser } from '../../domain/push/alternatives.ts'
import type { Content } from '../../domain/push/message.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'
import type { Recipient } from './recipient.ts'

/** The contents of a chunk's recipients. Both maps are empty when the notification has one content for all. */
export type ChosenContents = {
  readonly choices: ReadonlyMap<bigint, ContentChoice>
  /** The contents that are chosen, by key. The default content is not among them. */
  readonly contents: ReadonlyMap<string, Content>
}

type OfferingChunk = {
  readonly brandId: number
  readonly notification: string
  readonly offer: ContentOffer | null
  readonly brandLanguage: string | null
  readonly recipients: readonly Recipient[]
  /** The variant of each recipient; empty when the notification has none. */
  readonly variants: ReadonlyMap<bigint, number>
}

export const ONE_CONTENT: ChosenContents = { choices: new Map(), contents: new Map() }

/**
 * Chooses the content of each recipient, and loads the contents that are chosen: a notification may have hundreds, and a
 * chunk for one device needs one.
 */
export async function chooseContents<Chunk extends OfferingChunk>(
  tx: Db,
  chunks: readonly Chunk[],
): Promise<ReadonlyMap<Chunk, ChosenContents>> {
  const offering = chunks.flatMap((chunk) => {
    const { offer, recipients } = chunk
    return offer === null || recipients.length === 0 ? [] : [{ chunk, choices: choicesOf(chunk, offer) }]
  })
  if (offering.length === 0) return new Map()
  const { rows } = await tx.query<{ place: number; key: string; content: Content }>(LOAD, [
    offering.map(({ chunk }) => chunk.brandId),
    offering.map(({ chunk }) => chunk.notification),
    offering.map(({ choices }) => encodeJson([...new Set(choices.values())].map(({ key }) => key))),
  ])
  const loaded = Map.groupBy(rows, ({ place }) => place)
  return new Map(
    offering.map(({ chunk, choices }, index) => {
      const own = loaded.get(index + 1) ?? []
      return [chunk, { choices, contents: new Map(own.map(({ key, content }) => [key, content])) }]
    }),
  )
}

function choicesOf(
  { brandLanguage, recipients, variants }: OfferingChunk,
  offer: ContentOffer,
): ReadonlyMap<bigint, ContentChoice> {
  const choose = contentChooser(offer, brandLanguage)
  return new Map(
    recipients.map(({ id, language, personLanguage }) => [
      id,
      choose({ device: language, person: personLanguage }, variants.get(id) ?? null),
    ]),
  )
}

/** A stored content has the fields in which it differs from the default one. */
const LOAD = {
  name: 'load_chosen_contents',
  text: `select asked.place::integer, own.key, n.content || own.value as content
    from unnest($1::integer[], $2::uuid[], $3::jsonb[]) with ordinality as asked (brand_id, id, keys, place)
    cross join lateral (
      select content, alternatives from notifications where brand_id = asked.brand_id and id = asked.id offset 0
    ) as n
    cross join lateral jsonb_each(n.alternatives -> 'contents') as own (key, value)
    where asked.keys ? own.key`,
}
