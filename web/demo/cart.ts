import { beckon } from './beckon.ts'
import { element } from './element.ts'
import type { Tea } from './goods.ts'
import { describeStored, logStep } from './log.ts'

let count = 0

/** Logs an event whose ltv is the price; the ltv of a person adds up. */
export async function addToCart({ sku, name, price }: Tea): Promise<void> {
  count++
  element('cart', HTMLSpanElement).textContent = `Cart: ${count}`
  await logStep({
    what: `${name} goes into the cart.`,
    code: `await beckon('event', 'cart_add', { sku: '${sku}' }, '${price}')`,
    outcome: beckon('event', 'cart_add', { sku }, price).then(describeStored),
  })
}
