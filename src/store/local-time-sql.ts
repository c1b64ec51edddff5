/**
 * The clock of a zone at an instant, both SQL expressions. PostgreSQL reads `+05:30` as west of Greenwich where it stands
 * for the name of a zone, and as east where it is an interval; callers mean east.
 */
export function localTimeSql(at: string, zone: string): string {
  return `(case when ${zone} ~ '^[+-]' then ${at} at time zone (${zone})::interval else ${at} at time zone ${zone} end)`
}
