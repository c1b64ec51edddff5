/** Entries as shops send them, about 430 bytes each, for people `user_1` to `user_N`. */
const NAMES = [
  'product_viewed',
  'cart_addition',
  'purchase',
  'signup',
  'search',
  'login',
  'share',
  'wishlist',
]

export function entryFor(user: number, place: number): object {
  return {
    userID: `user_${user}`,
    event_name: NAMES[place % NAMES.length],
    attributes: {
      product_name: `Blue shirt ${place}`,
      order_id: `ORD-${place}-XYZ`,
      total_amount: place * 1.5,
      category: 'clothing',
      in_stock: place % 2 === 0,
      quantity: place % 7,
      bought_on: '2026-01-02',
    },
    context: {
      language: 'en-US',
      platform: 'website',
      page: { url: 'https://shop.example/p/1?x=1', referrer: 'https://search.example/' },
      utm: { source: 'search', medium: 'cpc' },
    },
  }
}

/** Bodies with so many entries each, for people drawn at random. */
export function bodiesOf(count: number, entries: number, users: number): readonly string[] {
  return Array.from({ length: count }, () =>
    JSON.stringify({
      nv: Array.from({ length: entries }, (_, place) =>
        entryFor(1 + Math.floor(Math.random() * users), place),
      ),
    }),
  )
}
