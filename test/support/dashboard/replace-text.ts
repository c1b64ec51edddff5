import type { Page } from 'puppeteer-core'

/**
 * Types a text over that of a field, as a person does. `fill` of a locator empties the field behind React's back, so that
 * a page that is drawn again in between gets the old text back, and the new one is added to it.
 */
export async function replaceText(page: Page, selector: string, text: string): Promise<void> {
  // The click waits until the field is there, enabled, and stands still.
  await page.locator(selector).click()
  await page.evaluate('document.activeElement.select()')
  await page.keyboard.type(text)
}
