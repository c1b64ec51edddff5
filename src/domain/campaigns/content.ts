import type { Platform } from '../../rules/platforms.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'

/**
 * The fields of a campaign's message on one platform: those of `content`, and over them those that the platform has of
 * its own. A null takes a field away. Later layers are added to the end of the list.
 */
export function contentFields(document: JsonObject, platform: Platform): JsonObject {
  return mergeLayers([document['content'], document[platform]])
}

/** The fields of several layers; of two equal names the last one wins, and a null takes the field away. */
export function mergeLayers(layers: readonly unknown[]): JsonObject {
  const merged = layers.filter(isJsonObject).flatMap((layer) => Object.entries(layer))
  return Object.fromEntries(
    Object.entries(Object.fromEntries(merged)).filter(([, value]) => value !== null && value !== undefined),
  )
}
