/** What a store holds: plain data, as it will be sent. */
export type Row = Readonly<Record<string, unknown>>
