/** Whether loops of kills and of random histories run at full length (`npm run test:long`), and not in their short form. */
const IS_LONG = process.env['BECKON_LONG_TESTS'] === '1'

/**
 * How often a loop of kills, of random histories, or one that needs luck, runs: a sixth as often in `npm test`, which must
 * end within a quarter of an hour.
 */
export function atLength(times: number): number {
  return IS_LONG ? times : Math.ceil(times / 6)
}
