/** Whether loops of kills and of random histories run at full length (`npm run test:long`), and not in their short form. */
const IS_LONG = process.env['BECKON_LONG_TESTS'] === '1'

/**
 * How often a loop of kills, of random histories, or one that needs luck, runs: a sixth as often in `npm test`, which must
 * end within a quarter of an hour. `short` is another number for a loop whose single rounds take many seconds of a core.
 */
export function atLength(times: number, { short = Math.ceil(times / 6) }: Length = {}): number {
  return IS_LONG ? times : short
}

type Length = { readonly short?: number }
