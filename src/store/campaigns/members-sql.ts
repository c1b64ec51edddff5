import { BLOCK_POWER, IS_SET, PLACES, UNPACKED_ID } from '../push/delivery-sql.ts'

/** The people of a campaign after one of them; brand, campaign, `after` and limit are SQL expressions. */
export type MembersPage = {
  readonly brand: string
  readonly campaign: string
  /** The person before the page; null for the first page. */
  readonly after: string | null
  readonly limit: string
  /** Conditions on columns that both tables have. */
  readonly conditions: readonly string[]
}

/**
 * The first people of a campaign after a person, in the order of their ids, with the columns of `campaign_people`. Most
 * devices without a person are bits of `campaign_blocks`, all others rows (decision 0038). Blocks are read in the reverse
 * order of the ids of devices, which are negative here, so that PostgreSQL unpacks no more of them than it needs.
 */
export function membersPageSql({ brand, campaign, after, limit, conditions }: MembersPage): string {
  const where = [`brand_id = ${brand}`, `campaign_id = ${campaign}`, ...conditions].join(' and ')
  const rows = after === null ? where : `${where} and profile_id > ${after}`
  const blocks = after === null ? where : `${where} and block <= -${after} >> ${BLOCK_POWER}`
  const isAfter = after === null ? '' : `and ${UNPACKED_ID} < -${after}`
  return `select * from (
      (select profile_id, trial_group, planned_at, clicked_at from campaign_people where ${rows}
       order by profile_id limit ${limit})
      union all
      (select -${UNPACKED_ID}, trial_group, planned_at, null
       from (select block, first_place, bits, trial_group, planned_at from campaign_blocks where ${blocks}) as packed
       cross join lateral ${PLACES} where ${IS_SET} ${isAfter}
       order by packed.block desc, ${UNPACKED_ID} desc limit ${limit})
    ) as member order by profile_id limit ${limit}`
}
