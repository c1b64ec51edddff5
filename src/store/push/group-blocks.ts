import { blockOf, type PackedBits, packPlaces, placeOf } from './accepted-blocks.ts'

/** Devices of one block of subscription ids that are in the same group of a campaign (decision 0038). */
export type GroupBlock = PackedBits & { readonly trialGroup: number }

/** Packs the groups of devices without a person, whose ids are negative here. */
export function packGroups(groups: ReadonlyMap<bigint, number>): readonly GroupBlock[] {
  const byGroup = new Map<number, Map<bigint, number[]>>()
  for (const [person, trialGroup] of groups) {
    const block = blockOf(-person)
    const blocks = byGroup.get(trialGroup) ?? new Map<bigint, number[]>()
    byGroup.set(trialGroup, blocks)
    const places = blocks.get(block) ?? []
    blocks.set(block, places)
    places.push(placeOf(-person))
  }
  return [...byGroup].flatMap(([trialGroup, blocks]) =>
    [...blocks].map(([block, places]) => ({ block, trialGroup, ...packPlaces(places) })),
  )
}
