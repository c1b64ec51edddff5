/** The day that it is at a moment in a zone: `2026-05-17`. */
export function localDay(zone: string, at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toString()
}
