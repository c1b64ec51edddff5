const PLACE = 'beckon.brand'
const WORD = 'brand'

/**
 * The brand of this page, from its load to its end: another brand is another load (`switchBrand`), so nothing of one can
 * stay on the screen of the other, not even when the browser brings an old page back.
 */
let chosen = brandAtLoad()

/** Whether addresses name the brand (`?brand=`): so for members of several, whose links must lead to the same thing. */
let isNamed = false

export function chosenBrand(): string {
  return chosen
}

/** For a page that has no brand yet. A new tab begins with the last choice. */
export function chooseBrand(brandId: string): void {
  chosen = brandId
  sessionStorage.setItem(PLACE, brandId)
  localStorage.setItem(PLACE, brandId)
}

/** Loads the page anew in another brand. */
export function switchBrand(brandId: string, path = '/'): void {
  chooseBrand(brandId)
  location.assign(brandAddress(brandId, path))
}

/** An address in a brand, for a link that may lead to another one. */
export function brandAddress(brandId: string, path: string): string {
  return `${path}?${new URLSearchParams({ [WORD]: brandId }).toString()}`
}

export function nameBrandInAddresses(): void {
  isNamed = true
}

/** The address of a page of the dashboard with the brand in it, if addresses name the brand. */
export function withBrand(address: string): string {
  if (!isNamed) return address
  const url = new URL(address, location.href)
  url.searchParams.set(WORD, chosen)
  return `${url.pathname}${url.search}${url.hash}`
}

/** Whether an address should name the brand and does not. */
export function lacksBrand(address: string): boolean {
  return isNamed && new URL(address, location.href).searchParams.get(WORD) !== chosen
}

function brandAtLoad(): string {
  const named = new URLSearchParams(location.search).get(WORD)
  if (named !== null) sessionStorage.setItem(PLACE, named)
  return named ?? sessionStorage.getItem(PLACE) ?? localStorage.getItem(PLACE) ?? ''
}
