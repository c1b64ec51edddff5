import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { build } from 'esbuild'

import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'

const ROWS = 1_000_000

test('a list of a million rows scrolls to its last row and back', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const { page, problems } = await openPage(await startPlainChromium(context))
  await page.setContent(
    '<style>table { border-collapse: collapse } td { height: 38px; padding: 0 }</style><div id="root"></div>',
  )
  await page.addScriptTag({ content: await bundle() })
  await page.waitForSelector('#root tbody tr:not([aria-hidden])')
  const rows = async (): Promise<readonly string[]> =>
    Object(
      await page.evaluate(
        `[...document.querySelectorAll('tbody td:first-child')].map((cell) => cell.textContent)`,
      ),
    )
  assert.equal((await rows())[0], 'row 0')

  await context.test('its height stays below what browsers can draw', async () => {
    const height = Number(await page.evaluate('document.body.scrollHeight'))
    assert.ok(height < 10_000_000, String(height))
  })
  await context.test(
    'a row moves as far as the reader scrolls, also where the window of rows moves on',
    async () => {
      await page.evaluate(`scrollTo(0, ${(100_000 - 400) * 38})`)
      await page.waitForFunction(`${ROW_AT_400} !== undefined`)
      const jumps = Object(await page.evaluate(SCROLL))
      assert.ok(jumps.isMoved, 'the window of rows moved on')
      assert.deepEqual(jumps.wrong, [])
    },
  )
  await context.test('the end is reached', async () => {
    await page.waitForFunction(
      `(scrollTo(0, document.body.scrollHeight), document.querySelector('tbody').innerText.includes('row ${ROWS - 1}'))`,
    )
    assert.equal((await rows()).at(-1), `row ${ROWS - 1}`)
    const index = await page.evaluate(
      `document.querySelector('tbody tr:last-child').getAttribute('aria-rowindex')`,
    )
    assert.equal(index, String(ROWS + 1))
  })
  await context.test('Home leads to the first row', async () => {
    await page.evaluate('scrollTo(0, 0)')
    await page.waitForFunction(`document.querySelector('tbody').innerText.startsWith('row 0\\n')`)
  })
  assert.deepEqual(problems, [])
})

const ROW_AT_400 = `[...document.querySelectorAll('tbody tr:not([aria-hidden])')].find((row) => {
  const { top, bottom } = row.getBoundingClientRect()
  return top <= 400 && bottom > 400
})?.innerText`

/** Scrolls on in small steps, and looks after each whether the row in the middle of the screen is where it should be. */
const SCROLL = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const topOf = (text) => [...document.querySelectorAll('tbody tr')].find((row) => row.innerText === text)?.getBoundingClientRect().top
  const wrong = []
  let isMoved = false
  for (let step = 0; step < 60; step += 1) {
    const row = ${ROW_AT_400}
    const before = { top: topOf(row), at: scrollY }
    scrollBy(0, 190)
    await drawn()
    await drawn()
    isMoved ||= scrollY < before.at
    const after = topOf(row)
    if (after === undefined || Math.abs(after - (before.top - 190)) > 2) wrong.push([row, before.top, after, step, before.at, scrollY, document.body.scrollHeight])
  }
  return { isMoved, wrong }
})()`

/** The table of the dashboard with a list that has all its rows at once. */
async function bundle(): Promise<string> {
  const contents = `
    import { createRoot } from 'react-dom/client'
    import { VirtualTable } from './kit/virtual-table.tsx'
    const list = { count: ${ROWS}, rowAt: (index) => index, hasMore: false, look: () => undefined }
    const columns = [{ name: 'Row', cell: (row) => 'row ' + row }]
    createRoot(document.getElementById('root')).render(<VirtualTable label="Rows" columns={columns} list={list} />)`
  const { outputFiles } = await build({
    stdin: { contents, loader: 'tsx', resolveDir: join(import.meta.dirname, '../../web/dashboard') },
    bundle: true,
    write: false,
    outdir: '/',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? ''
}
