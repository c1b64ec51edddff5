const PLACE = 'beckon.brand'

/**
 * The brand that this tab works in. An address may name it (`?brand=`), so that a link leads a colleague to the same
 * thing; then the tab keeps it, and new tabs begin with the last choice.
 */
export function chosenBrand(): string {
  return sessionStorage.getItem(PLACE) ?? localStorage.getItem(PLACE) ?? ''
}

export function chooseBrand(brandId: string): void {
  sessionStorage.setItem(PLACE, brandId)
  localStorage.setItem(PLACE, brandId)
}

/** Takes the brand out of the address, once, when the page is opened. */
export function takeBrandFromAddress(): void {
  const url = new URL(location.href)
  const named = url.searchParams.get('brand')
  if (named === null) return
  sessionStorage.setItem(PLACE, named)
  url.searchParams.delete('brand')
  history.replaceState(null, '', url)
}
