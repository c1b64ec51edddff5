import { beckon } from './beckon.ts'
import { element } from './element.ts'
import type { Tea } from './goods.ts'
import { logStep, told } from './log.ts'

let count = 0

/** A tea is worth its price: that is the event's ltv, and adds up on the person. */
export async function addToCart({ sku, name, price }: Tea): Promise<void> {
  count++
  element('cart', HTMLSpanElement).textContent = `Cart: ${count}`
  await logStep({
    what: `${name} goes into the cart.`,
    code: `await beckon('event', 'cart_add', { sku: '${sku}' }, '${price}')`,
    outcome: beckon('event', 'cart_add', { sku }, price).then(told),
  })
}
