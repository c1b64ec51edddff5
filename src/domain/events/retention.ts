/** The length of a period of a retention table. */
type RetentionUnit = 'day' | 'week'

/** The number of periods of a cohort that have begun; later periods have no figures yet. Days are `2026-05-17`. */
export function countBegun(
  unit: RetentionUnit,
  days: { readonly cohort: string; readonly today: string },
): number {
  const passed = Temporal.PlainDate.from(days.cohort).until(days.today, { largestUnit: 'day' }).days
  return Math.floor(passed / (unit === 'week' ? 7 : 1)) + 1
}
