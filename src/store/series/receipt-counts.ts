/**
 * A select that gives the counts of receipts of one notification as an object by kind: those that are added up, and the
 * changes that are not yet.
 */
export function receiptCountsSql(brandId: string, notificationId: string): string {
  return `select coalesce(jsonb_object_agg(kind, count), '{}') from (
    select kind, sum(count)::integer as count from (
      select kind, count from receipt_counts as r where r.brand_id = ${brandId} and r.notification_id = ${notificationId}
      union all
      select metric, count from series_changes as c where c.brand_id = ${brandId} and c.notification_id = ${notificationId}
    ) as told group by kind
  ) as summed`
}
