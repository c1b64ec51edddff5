import type { Platform } from '../../rules/platforms.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { type Path, pathTo } from '../values/path.ts'

/** Fields of a message that stand at one place of a campaign's document. */
export type ContentLayer = { readonly path: Path; readonly fields: JsonObject }

/**
 * The layers of a campaign's message on one platform: a field of a later layer takes the place of an earlier one. What a
 * variant says goes before what the campaign says; null stands for what all variants have in common.
 */
export function contentLayers(
  document: JsonObject,
  platform: Platform,
  variant: number | null = null,
): readonly ContentLayer[] {
  const names = ['content', platform]
  const own = variant === null ? {} : variantIn(document, variant)
  return effectiveLayers([
    ...names.map((name) => ({ path: name, fields: document[name] })),
    ...(variant === null
      ? []
      : names.map((name) => ({ path: pathTo(variantPath(variant), name), fields: own[name] }))),
  ])
}

/** The variant at a place of the document; empty when there is none. */
export function variantIn({ variants }: JsonObject, place: number): JsonObject {
  const own: unknown = Array.isArray(variants) ? variants[place] : null
  return isJsonObject(own) ? own : {}
}

export function variantPath(place: number): Path {
  return pathTo('variants', place)
}

type WrittenLayer = { readonly path: Path; readonly fields: unknown }

/** Each layer with the fields that no later layer has. A null in a later layer takes the field away. */
function effectiveLayers(layers: readonly WrittenLayer[]): readonly ContentLayer[] {
  return layers.map(({ path, fields }, at) => {
    const later = layers.slice(at + 1).flatMap((layer) => (isJsonObject(layer.fields) ? [layer.fields] : []))
    const own = Object.entries(isJsonObject(fields) ? fields : {})
    const kept = own.filter(([name]) => later.every((layer) => !Object.hasOwn(layer, name)))
    return { path, fields: Object.fromEntries(kept) }
  })
}

/** The path of a field in a message: in the last layer that has it, or else in the first. */
export function pathInLayers(layers: readonly ContentLayer[], name: string): Path {
  const layer = layers.findLast(({ fields }) => Object.hasOwn(fields, name)) ?? layers[0]
  return pathTo(layer?.path ?? '', name)
}
