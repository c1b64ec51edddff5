/**
 * How fast the pages of the dashboard are in a real Chromium, on a Beckon with the shop of the screenshots in it: the first
 * paint, the layout shift, and how long an interaction takes to be painted, at full speed and with a CPU four times as
 * slow. The last figure, without a bar, is the longest task between the click on the rail and the other page, which is drawn
 * after the pressed link. Every figure is the median of three rounds. `npm run bench -- dashboard people` looks at some pages only.
 */
import { type TestContext, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { openShop } from '../test/screenshots/open-shop.ts'
import { settled } from '../test/support/dashboard/dashboard.ts'
import { saveFigure } from './support/figures.ts'
import { median } from './support/median.ts'
import { verdict } from './support/verdict.ts'

const ROUNDS = 3
const PAINT_MS_MAX = 1_000
const INTERACTION_MS_MAX = 100
const SLOW_INTERACTION_MS_MAX = 300
const SHIFT_MAX = 0.02
const SLOWDOWN = 4
const WAIT_MS_MAX = 120_000

type Figures = {
  readonly paintMs: number
  readonly readyMs: number
  readonly shift: number
  readonly interactionMs: number
  readonly taskMs: number
}

/** Watches the page from its first moment. Shorter interactions than 16 ms are not told, and count as 0. */
const OBSERVE = `window.figures = { paint: 0, shift: 0, longest: 0, task: 0 };
  const watch = (type, take, more) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({ type, buffered: true, ...more });
  watch('paint', (entry) => { if (entry.name === 'first-contentful-paint') figures.paint = entry.startTime });
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) figures.shift += entry.value });
  watch('longtask', (entry) => { figures.task = Math.max(figures.task, entry.duration) });
  watch('event', (entry) => {
    if (entry.interactionId > 0) figures.longest = Math.max(figures.longest, entry.duration)
  }, { durationThreshold: 16 });`

// The helpers that start a Beckon and a browser end them with a test, so the run is one.
await test('the pages of the dashboard', async (context) => measureAll(context, process.argv.slice(3)))

async function measureAll(context: TestContext, wanted: readonly string[]): Promise<void> {
  const { page, addresses } = await openShop(context)
  page.setDefaultTimeout(WAIT_MS_MAX)
  await page.evaluateOnNewDocument(OBSERVE)
  say('page          paint     ready   shift   interaction, slow CPU     task, slow CPU')
  const measured: MeasuredPage[] = []
  for (const [name, address] of Object.entries(addresses))
    if (wanted.length === 0 || wanted.includes(name)) measured.push(await measurePage(page, name, address))
  saveSlowest('first paint', measured, { of: ({ quick }) => quick.paintMs, atMost: PAINT_MS_MAX })
  saveSlowest('interaction', measured, { of: ({ quick }) => quick.interactionMs, atMost: INTERACTION_MS_MAX })
  saveSlowest(`interaction with a CPU ${SLOWDOWN} times as slow`, measured, {
    of: ({ slow }) => slow.interactionMs,
    atMost: SLOW_INTERACTION_MS_MAX,
  })
}

type MeasuredPage = { readonly name: string; readonly quick: Figures; readonly slow: Figures }
type PageBar = { readonly of: (page: MeasuredPage) => number; readonly atMost: number }

/** Chromium does not always tell the paint of a page; 0 stands for that. */
function saveSlowest(what: string, pages: readonly MeasuredPage[], { of, atMost }: PageBar): void {
  const told = pages.map((page) => [page.name, of(page)] as const).filter(([, value]) => value > 0)
  saveFigure({
    what: `${what}, slowest page`,
    unit: 'ms',
    ours: [Math.max(0, ...told.map(([, value]) => value))],
    bar: { of: 'figure', atMost },
    parts: Object.fromEntries(told),
  })
}

async function measurePage(page: Page, name: string, address: string): Promise<MeasuredPage> {
  await page.emulateCPUThrottling(1)
  const quick = await medians(page, address)
  await page.emulateCPUThrottling(SLOWDOWN)
  const slow = await medians(page, address)
  await page.emulateCPUThrottling(1)
  const { paintMs, readyMs, shift, interactionMs, taskMs } = quick
  const cells = [
    ms(paintMs),
    ms(readyMs),
    shift.toFixed(3),
    ms(interactionMs),
    ms(slow.interactionMs),
    ms(taskMs),
    ms(slow.taskMs),
  ]
  verdict(
    `${name.padEnd(10)} ${cells.join('   ')}`,
    paintMs <= PAINT_MS_MAX &&
      interactionMs <= INTERACTION_MS_MAX &&
      slow.interactionMs <= SLOW_INTERACTION_MS_MAX &&
      shift < SHIFT_MAX,
    `${PAINT_MS_MAX} ms, -, ${SHIFT_MAX}, ${INTERACTION_MS_MAX} ms, ${SLOW_INTERACTION_MS_MAX} ms`,
  )
  return { name, quick, slow }
}

async function medians(page: Page, address: string): Promise<Figures> {
  const rounds: Figures[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce(page, address))
  return {
    paintMs: median(rounds.map(({ paintMs }) => paintMs)),
    readyMs: median(rounds.map(({ readyMs }) => readyMs)),
    shift: median(rounds.map(({ shift }) => shift)),
    interactionMs: median(rounds.map(({ interactionMs }) => interactionMs)),
    taskMs: median(rounds.map(({ taskMs }) => taskMs)),
  }
}

/** Opens the page; then goes through it by keys, opens and closes the list of keys, and leaves it by the rail. */
async function measureOnce(page: Page, address: string): Promise<Figures> {
  await page.goto(address)
  await settled(page)
  const readyMs = Number(await page.evaluate('performance.now()'))
  const { paint, shift } = await figuresOf(page)
  // The live stream stays open, so one request may be under way.
  await page.waitForNetworkIdle({ idleTime: 300, concurrency: 1, timeout: 5_000 }).catch(() => undefined)
  await page.evaluate('document.activeElement?.blur()')
  await page.keyboard.press('?')
  await page.waitForSelector('[role=dialog]')
  await drawn(page)
  await page.keyboard.press('Escape')
  await page.waitForSelector('[role=dialog]', { hidden: true })
  for (const key of ['Tab', 'Tab'] as const) {
    await page.keyboard.press(key)
    await drawn(page)
  }
  await page.evaluate('figures.task = 0')
  const there = address.endsWith('/people') ? '/devices' : '/people'
  await page.locator(`nav a[href^="${there}"]`).click()
  await page.waitForFunction(`location.pathname === '${there}'`)
  await settled(page)
  await drawn(page)
  const { longest, task } = await figuresOf(page)
  return { paintMs: paint, readyMs, shift, interactionMs: longest, taskMs: task }
}

type Observed = {
  readonly paint: number
  readonly shift: number
  readonly longest: number
  readonly task: number
}

async function figuresOf(page: Page): Promise<Observed> {
  const { paint, shift, longest, task } = Object(await page.evaluate('figures'))
  return { paint: Number(paint), shift: Number(shift), longest: Number(longest), task: Number(task) }
}

/** The browser tells how long an event took once the next picture is drawn. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
  )
}

function ms(figure: number): string {
  return `${Math.round(figure)} ms`.padStart(7)
}

function say(line: string): void {
  process.stdout.write(`       ${line}\n`)
}
