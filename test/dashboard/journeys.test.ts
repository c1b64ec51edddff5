import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OLD_EVENTS_REASON } from '../../src/rules/event-files.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { apiOf, field, listIn, runJourneysAt, startJourney } from '../support/journeys/runs.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

test('the pages of journeys', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const api = apiOf(server.port, brand)
  await api('POST', '/api/v1/user/create', {
    nv: [
      { userID: 'u-1001', user_attributes: { first_name: 'Ada' } },
      { userID: 'u-1002', user_attributes: { first_name: 'Grace' } },
    ],
  })
  for (const user_id of ['u-1001', 'u-1002'])
    await api('POST', '/api/v1/subscriptions', { platform: 'android', token: user_id.repeat(6), user_id })
  const owner = await signIn()
  const { page } = owner
  const says = async (text: string): Promise<unknown> =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
  let journeyId = ''

  await context.test('the template of the contract is drawn, edited by keyboard and saved', async () => {
    await owner.open('/journeys')
    await page.locator('a ::-p-text(Code reminder)').click()
    await page.waitForFunction(`document.querySelectorAll('.react-flow__node').length === 5`)
    await page.waitForFunction(`document.querySelectorAll('.react-flow__edge').length === 4`)
    await page.locator('.react-flow__node button ::-p-text(10 minutes)').click()
    await replaceText(page, 'input[aria-label="Wait for: minutes"]', '15')
    await says('15 minutes')
    await page.locator('button ::-p-text(Save)').click()
    await page.waitForFunction(`/^\\/journeys\\/\\d+$/.test(location.pathname)`)
    journeyId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const { body } = await api('GET', `/api/v1/journeys/${journeyId}`)
    const [first] = listIn(field(body['journey'], 'steps'))
    assert.deepEqual(first, { id: 'wait', wait: { minutes: 15 } })
  })

  await context.test('a fault stands at its step, and is gone when it is mended', async () => {
    await owner.open(`/journeys/${journeyId}?step=remind`)
    await replaceText(page, 'input[value^="Almost"]', '{{ user.')
    await page.waitForFunction(
      `document.querySelector('.react-flow__node[data-id="step:remind"]').innerText.includes('to mend')`,
    )
    await replaceText(page, 'input[value^="{{"]', 'Almost there, {{ user.first_name }}')
    await page.waitForFunction(`!document.body.innerText.includes('to mend')`)
  })

  await context.test('a step is put into a way and its version is told in words', async () => {
    await owner.open(`/journeys/${journeyId}`)
    await page.locator('button[aria-label="Add a step after remind"]').click()
    await page.locator('[role=menuitem] ::-p-text(Set)').click()
    await replaceText(page, 'input[list=known-tags]', 'reminded')
    await page.waitForFunction(`!document.body.innerText.includes('to mend')`)
    await page.locator('button ::-p-text(Save)').click()
    await says('Saved as version 2')
    await owner.open(`/journeys/${journeyId}?view=versions`)
    await says('Step set added (Set)')
    const { body } = await api('GET', `/api/v1/journeys/${journeyId}`)
    const steps = listIn(field(body['journey'], 'steps')).map((step) => field(step, 'id'))
    assert.deepEqual(steps, ['wait', 'remind', 'set', 'pause'])
  })

  await context.test('a person is tried before the journey is active', async () => {
    await owner.open(`/journeys/${journeyId}?view=try`)
    await replaceText(page, 'form input', 'u-1001')
    await page.locator('form button[type=submit]').click()
    await says('Would enter')
    await says('Enter the code that we sent you')
    await page.waitForSelector('.react-flow__node[data-id="step:remind"] [data-light=lit]')
  })

  await context.test(
    'it is activated, a person enters, and the number on the canvas leads to her',
    async () => {
      await owner.open(`/journeys/${journeyId}`)
      await page.locator('header button ::-p-text(Activate)').click()
      await says('People enter from now on')
      assert.deepEqual(await axeFindings(page), [])
      await page.locator('[role=dialog] button ::-p-text(Activate)').click()
      await page.waitForFunction(`document.querySelector('header').innerText.includes('Active')`)
      const told = await api('POST', '/api/event', {
        nv: [{ userID: 'u-1001', event_name: 'signup', attributes: {} }],
      })
      assert.equal(told.status, 200, told.text)
      await runJourneysAt(server.deps.database, brand.brandId, Date.now())
      await page.waitForSelector('.react-flow__node[data-id="step:wait"] a[aria-label="1 here, at wait"]')
      await page.locator('.react-flow__node[data-id="step:wait"] a').click()
      await page.waitForSelector('a[href="/people/u-1001"]')
      await page.locator('button[aria-label="Show the way: u-1001"]').click()
      await says('The person waits here.')
      await page.waitForSelector('.react-flow__node[data-id="step:wait"] [data-light=lit]')
      await owner.open(`/journeys/${journeyId}?view=versions`)
      await page.locator('section[aria-label="Version 2"] a').click()
      await page.waitForSelector('a[href="/people/u-1001"]')
      await says('Version 2 ✕')
      await owner.open(`/journeys/${journeyId}?view=people&version=1`)
      await says('Nobody is here at the moment.')
      await owner.open(`/journeys/${journeyId}`)
      await runJourneysAt(server.deps.database, brand.brandId, Date.now() + 16 * 60_000)
      await page.waitForSelector('.react-flow__node[data-id="step:pause"] a[aria-label="1 here, at pause"]')
    },
  )

  await context.test('why nobody can enter by the segment is told', async () => {
    await server.asOwner(`update journeys set scan_reason = '${OLD_EVENTS_REASON}' where id = ${journeyId}`)
    await owner.open(`/journeys/${journeyId}`)
    await says('Nobody can enter at present')
  })

  await context.test('names with markup are text', async () => {
    const id = await startJourney(api, {
      name: MARKUP,
      trigger: { event: MARKUP },
      steps: [{ id: MARKUP, send: { to: 'anywhere', title: MARKUP, message: MARKUP } }],
    })
    for (const path of ['/journeys', `/journeys/${id}`]) {
      await owner.open(path)
      await says(MARKUP)
      assert.equal(await page.$('main img'), null)
    }
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    const one = `/journeys/${journeyId}`
    for (const path of ['/journeys', one, `${one}?step=remind`, `${one}?view=people&person=u-1001`]) {
      for (const theme of ['light', 'dark'] as const) {
        await setTheme(page, theme)
        await owner.open(path)
        assert.deepEqual(await axeFindings(page), [], `${path} ${theme}`)
      }
    }
  })

  await context.test('an analyst sees everything and is offered no change', async () => {
    const analyst = await signIn('analyst')
    await analyst.open(`/journeys/${journeyId}`)
    await analyst.page.waitForSelector('.react-flow__node')
    const words = await analyst.page.$$eval('main button', (buttons) =>
      buttons.map(({ textContent, ariaLabel }) => `${textContent ?? ''}${ariaLabel ?? ''}`),
    )
    for (const word of ['Pause', 'Archive', 'Save', 'Add a step'])
      assert.ok(!words.some((text) => text.includes(word)), words.join())
    assert.deepEqual(analyst.problems, [])
  })

  await context.test('an archive asks for the name', async () => {
    await owner.open(`/journeys/${journeyId}`)
    await page.locator('header button ::-p-text(Archive)').click()
    await replaceText(page, '[role=dialog] input', 'Code reminder')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button ::-p-text(Archive)').click()
    await page.waitForFunction(`document.querySelector('header').innerText.includes('Archived')`)
    const { body } = await api('GET', `/api/v1/journeys/${journeyId}`)
    assert.equal(field(body['journey'], 'state'), 'archived')
  })

  // A browser reports every refusal, and a document with a fault is refused by the check.
  const unexpected = owner.problems.filter((problem) => !problem.includes('status of 400'))
  assert.deepEqual(unexpected, [])
})
