/** Parts of a statement that settles: claimed chunks lose the recipients with an outcome, and are deleted when none remains. */
export const CHUNK_PROGRESS = `shrunk as (
    update chunks set remaining = chunks.remaining - claimed.outcomes from claimed
    where chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and claimed.remaining > claimed.outcomes
  ), ended as (
    delete from chunks using claimed
    where chunks.brand_id = claimed.brand_id and chunks.id = claimed.id and claimed.remaining <= claimed.outcomes
  )`
