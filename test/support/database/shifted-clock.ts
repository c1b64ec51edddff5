import { withOwner } from '../../../src/store/db.ts'

/**
 * Gives a test's database a clock of its own, which the test can set forward and back. The function stands before
 * PostgreSQL's own of the same name. It holds for sessions that begin afterwards, so it is called before all others.
 */
export async function shiftableClock(url: string): Promise<(ms: number) => Promise<void>> {
  const name = new URL(url).pathname.slice(1)
  await withOwner(url, async (owner) => {
    await owner.query('create schema shifted')
    await owner.query('create table shifted.shift (ms float8 not null)')
    await owner.query('insert into shifted.shift values (0)')
    await owner.query(`create function shifted.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + (select ms from shifted.shift) * interval ''1 millisecond'''`)
    await owner.query('grant usage on schema shifted to public')
    await owner.query('grant select on shifted.shift to public')
    await owner.query(`alter database ${name} set search_path = public, shifted, pg_catalog`)
  })
  return async (ms) =>
    withOwner(url, async (owner) => {
      await owner.query('update shifted.shift set ms = ms + $1', [ms])
    })
}
