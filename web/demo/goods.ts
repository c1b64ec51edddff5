import { element, make } from './element.ts'

export type Tea = {
  readonly sku: string
  readonly name: string
  readonly price: string
  readonly colours: readonly [string, string]
}

const TEAS: readonly Tea[] = [
  { sku: 'sencha', name: 'Sencha, first flush', price: '12.90', colours: ['#8fbf6a', '#2f6b3c'] },
  { sku: 'rooibos', name: 'Rooibos, wild', price: '7.50', colours: ['#e08a4f', '#8a3a1c'] },
  { sku: 'earl-grey', name: 'Earl Grey, blue', price: '9.20', colours: ['#7e9bd1', '#33416b'] },
]

/** Fills the shelf. */
export function showGoods(onAdd: (tea: Tea) => void): void {
  element('goods', HTMLUListElement).append(...TEAS.map((tea) => itemOf(tea, onAdd)))
}

function itemOf(tea: Tea, onAdd: (tea: Tea) => void): HTMLElement {
  const item = make('li', '')
  const tin = make('div', 'tin', tea.name.slice(0, 1))
  tin.ariaHidden = 'true'
  tin.style.setProperty('--one', tea.colours[0])
  tin.style.setProperty('--two', tea.colours[1])
  const button = make('button', '', 'Add to cart')
  button.setAttribute('aria-label', `Add to cart: ${tea.name}`)
  button.addEventListener('click', () => onAdd(tea))
  item.append(tin, make('h3', '', tea.name), make('p', '', `€ ${tea.price}`), button)
  return item
}
