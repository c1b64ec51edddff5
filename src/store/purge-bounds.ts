/** What a purge is told: the time, and how many rows it may take, so that none holds a lock for long. */
export type PurgeBounds = { readonly now: number; readonly rowsMax: number }
