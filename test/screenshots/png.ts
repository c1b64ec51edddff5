import { constants, crc32, deflateSync, inflateSync } from 'node:zlib'

type Picture = { readonly width: number; readonly height: number; readonly pixels: Uint8Array }

const COLOURS_MAX = 256
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The same picture with at most 256 colours: a third of the bytes, and hard to tell apart on pages of text. */
export function shrinkPng(png: Uint8Array): Buffer {
  const { width, height, pixels } = decode(Buffer.from(png))
  const palette = paletteOf(pixels)
  const indexes = new Map<number, number>()
  const rows = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < width * height; at += 1) {
    const colour = colourAt(pixels, at)
    let index = indexes.get(colour)
    if (index === undefined) {
      index = nearest(palette, colour)
      indexes.set(colour, index)
    }
    rows[at + Math.floor(at / width) + 1] = index
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  const data = deflateSync(rows, { level: constants.Z_BEST_COMPRESSION, memLevel: 9 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/**
 * The colours of the large areas as they are, and the rest by the most frequent groups of colours that differ only in
 * their lowest bits, so that the shades of a gradient share places.
 */
function paletteOf(pixels: Uint8Array): readonly number[] {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length / 3; at += 1) {
    const colour = colourAt(pixels, at)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a)
  if (byCount.length <= COLOURS_MAX) return byCount.map(([colour]) => colour)
  const exact = byCount.slice(0, EXACT_COLOURS).map(([colour]) => colour)
  const groups = [...Map.groupBy(byCount.slice(EXACT_COLOURS), ([colour]) => colour & GROUP_BITS).values()]
  const shades = groups
    .map((group) => ({ colour: group[0]?.[0] ?? 0, count: group.reduce((sum, [, count]) => sum + count, 0) }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, COLOURS_MAX - EXACT_COLOURS)
  return [...exact, ...shades.map(({ colour }) => colour)]
}

const EXACT_COLOURS = 32
const GROUP_BITS = 0xf8f8f8

function nearest(palette: readonly number[], colour: number): number {
  let best = 0
  let bestDistance = Number.POSITIVE_INFINITY
  for (const [index, other] of palette.entries()) {
    const red = (colour >> 16) - (other >> 16)
    const green = ((colour >> 8) & 255) - ((other >> 8) & 255)
    const blue = (colour & 255) - (other & 255)
    const distance = red * red + green * green + blue * blue
    if (distance < bestDistance) [best, bestDistance] = [index, distance]
  }
  return best
}

function colourAt(pixels: Uint8Array, at: number): number {
  return ((pixels[at * 3] ?? 0) << 16) | ((pixels[at * 3 + 1] ?? 0) << 8) | (pixels[at * 3 + 2] ?? 0)
}

/** Reads what Chromium writes: 8 bits a channel, with or without alpha, not interlaced. */
function decode(png: Buffer): Picture {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const type = png[25]
  if (png[24] !== 8 || (type !== 2 && type !== 6) || png[28] !== 0) throw new Error('a PNG of another kind')
  const depth = type === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    const start = at + 8
    if (png.toString('latin1', at + 4, start) === 'IDAT')
      parts.push(png.subarray(start, start + png.readUInt32BE(at)))
  }
  const rows = unfilter(inflateSync(Buffer.concat(parts)), { stride: width * depth, height, depth })
  const pixels = new Uint8Array(width * height * 3)
  for (let at = 0; at < width * height; at += 1) pixels.set(rows.subarray(at * depth, at * depth + 3), at * 3)
  return { width, height, pixels }
}

type Shape = { readonly stride: number; readonly height: number; readonly depth: number }

/** Undoes the filters of the rows (PNG, section 9). */
function unfilter(raw: Buffer, { stride, height, depth }: Shape): Uint8Array {
  const out = new Uint8Array(stride * height)
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)] ?? 0
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column
      const left = column < depth ? 0 : (out[at - depth] ?? 0)
      const up = row === 0 ? 0 : (out[at - stride] ?? 0)
      const corner = row === 0 || column < depth ? 0 : (out[at - stride - depth] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
      out[at] = (raw[row * (stride + 1) + 1 + column] ?? 0) + guess
    }
  }
  return out
}

function paeth(left: number, up: number, corner: number): number {
  const sum = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
