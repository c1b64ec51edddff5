/** A row of a store: plain data, as it will be sent. */
export type Row = Readonly<Record<string, unknown>>
