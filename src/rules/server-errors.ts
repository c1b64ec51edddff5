/** Beckon's own failures: the request may be right, and Beckon cannot answer it now. Part of `ERRORS`. */
export const SERVER_ERRORS = {
  takes_too_long: {
    status: 422,
    message:
      'The answer takes longer than {seconds} seconds, or more memory than there is. Ask for a shorter time range, or for less at once.',
  },
  too_many_old_events: {
    status: 422,
    message:
      'This needs {events} events that are in event files only; at most {max} can be brought, within {seconds} seconds. Look back fewer days, or ask the operator to keep rows for more days (BECKON_EVENT_ROWS_DAYS).',
  },
  database_away: {
    status: 503,
    message: 'Beckon cannot reach its database. Send the request again after Retry-After.',
  },
  outcome_unknown: {
    status: 503,
    message:
      'Beckon lost its database and does not know whether the request was done. With the same Idempotency-Key or event_id, send it again after Retry-After; otherwise look first.',
  },
  overloaded: { status: 503, message: 'Beckon is busy. Send the request again after Retry-After.' },
  not_ready: { status: 503, message: 'Beckon cannot serve requests now. The reason is in checks.' },
  internal: {
    status: 500,
    message: 'Beckon failed. Give the request_id to the operator of this Beckon.',
  },
} as const
