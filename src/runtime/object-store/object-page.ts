/** An object of a store. Its name begins after the prefix of the store. */
export type StoredObject = { readonly name: string; readonly bytes: bigint }

type ObjectPage = {
  readonly objects: readonly StoredObject[]
  /** The token of the next page; null after the last. */
  readonly next: string | null
}

/**
 * Reads a page of `ListObjectsV2`. Its form is fixed, and names in it are encoded as in addresses (`encoding-type=url`), so no sign of XML is
 * in them.
 */
export function readObjectPage(xml: string): ObjectPage {
  const objects = Array.from(xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g), ([, entry = '']) => ({
    name: decodedName(fieldOf(entry, 'Key')),
    bytes: BigInt(/^\d{1,18}$/.exec(fieldOf(entry, 'Size'))?.[0] ?? -1),
  }))
  const isLast = fieldOf(xml, 'IsTruncated') !== 'true'
  return { objects, next: isLast ? null : plainText(fieldOf(xml, 'NextContinuationToken')) }
}

function fieldOf(xml: string, field: string): string {
  return new RegExp(`<${field}>([^<]*)</${field}>`).exec(xml)?.[1] ?? ''
}

/** A space may be a plus sign here. A name that cannot be decoded is none of ours. */
function decodedName(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'))
  } catch {
    return ''
  }
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' } as const

/** A token may have any sign. */
function plainText(text: string): string {
  return Object.entries(ENTITIES).reduce((plain, [name, sign]) => plain.replaceAll(`&${name};`, sign), text)
}
