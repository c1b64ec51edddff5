import { deviceSourcesSql } from '../push/delivery-sql.ts'

/** SQL about a person: the condition that a notification was addressed to them, and the ids of their devices as an array. */
type PersonSql = { readonly isAddressed: string; readonly devices: string }

/**
 * The deliveries of a person of the brand $1, with the columns of `deliveries`: those of notifications to the person, and
 * those of broadcasts to their devices. Each notification and each device is looked up by an index, where rows and bits alike
 * are found. A notification that was addressed to somebody else, who had the device before, is not of this person.
 */
export function personDeliveriesSql({ isAddressed, devices }: PersonSql): string {
  const sources = deviceSourcesSql({ brand: '$1', subscription: 'device.id' })
  const ofDevice = sources.map(({ from, where }) => `select x.* from ${from} where ${where}`)
  return `(
    select sent.* from notifications as n
    cross join lateral (
      select listed.* from all_deliveries as listed where listed.brand_id = $1 and listed.notification_id = n.id offset 0
    ) as sent
    where n.brand_id = $1 and ${isAddressed}
    union all
    select got.* from unnest(${devices}) as device (id)
    cross join lateral (${ofDevice.join(' union all ')} offset 0) as got
    where exists (select from notifications as n
      where n.brand_id = $1 and n.id = got.notification_id and n.profile_id is null and (${isAddressed}) is not true
      offset 0)
  )`
}
