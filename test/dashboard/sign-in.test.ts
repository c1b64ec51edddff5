import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { newPage } from '../support/browser/launch.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, startDashboard } from '../support/dashboard/dashboard.ts'
import { PASSWORD } from '../support/team/members.ts'
import { totpCode } from '../support/team/totp.ts'

test('the sign-in page', { skip: whyNoBrowsers() }, async (context) => {
  const { browser, signIn, url, server } = await startDashboard(context)
  const member = await signIn()
  const stranger = await newPage(await browser.createBrowserContext())

  await context.test('a stranger is led to it, and back to the page they wanted', async () => {
    await stranger.goto(`${url}/people?q=ada`)
    await stranger.waitForFunction(`location.pathname === '/sign-in'`)
    await typePassword(stranger, { email: member.email, password: 'not the password at all' })
    await stranger.waitForSelector('[role=alert]')
    await typePassword(stranger, { email: member.email, password: PASSWORD })
    await stranger.waitForFunction(`location.pathname + location.search === '/people?q=ada'`)
  })

  await context.test('an address of elsewhere is not followed after the sign-in', async () => {
    const other = await newPage(await browser.createBrowserContext())
    await other.goto(`${url}/sign-in?to=${encodeURIComponent('//beckon.example/steal')}`)
    await typePassword(other, { email: member.email, password: PASSWORD })
    await other.waitForFunction(`location.pathname === '/'`)
    assert.equal(new URL(other.url()).origin, url)
  })

  await context.test('a passkey is enough', async () => {
    await member.open('/')
    const { page } = member
    const devtools = await page.createCDPSession()
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    assert.equal(await page.evaluate(MAKE_PASSKEY), 200, server.log.join(''))
    await page.evaluate(`fetch('/auth/sign-out', { method: 'POST' })`)
    await page.goto(`${url}/sign-in`)
    await page.locator('::-p-text(Use a passkey)').click()
    await page.waitForFunction(`location.pathname === '/'`)
  })

  await context.test('it asks for the code of an authenticator app', async () => {
    const uri = String(await member.page.evaluate(TWO_FACTOR))
    const code = totpCode(uri, Date.now())
    assert.equal(await member.page.evaluate(verify(code)), 200)
    const other = await newPage(await browser.createBrowserContext())
    await other.goto(`${url}/sign-in`)
    await typePassword(other, { email: member.email, password: PASSWORD })
    await other.waitForSelector('input[autocomplete=one-time-code]')
    await other.type('input[autocomplete=one-time-code]', totpCode(uri, Date.now() + 30_000))
    await other.click('button[type=submit]')
    await other.waitForFunction(`location.pathname === '/'`)
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    const other = await newPage(await browser.createBrowserContext())
    await other.goto(`${url}/sign-in`)
    await other.waitForSelector('h1')
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(other, theme)
      assert.deepEqual(await axeFindings(other), [], theme)
    }
  })
})

type Typed = { readonly email: string; readonly password: string }

async function typePassword(page: Page, { email, password }: Typed): Promise<void> {
  await page.waitForSelector('input[type=email]')
  await page.locator('input[type=email]').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.click('button[type=submit]')
}

/** Calls of the account page, from the member's own tab. */
const POST = `(path, body) => fetch('/auth' + path, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
})`
const TWO_FACTOR = `(${POST})('/two-factor', { password: '${PASSWORD}' })
  .then((reply) => reply.json()).then((reply) => reply.totp_uri)`
const MAKE_PASSKEY = `(async () => {
  const reply = await fetch('/auth/passkeys/options', { method: 'POST' })
  const { options } = await reply.json()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const made = (await navigator.credentials.create({ publicKey })).toJSON()
  const { clientDataJSON, attestationObject } = made.response
  const response = {
    id: made.id, rawId: made.rawId, type: made.type, clientExtensionResults: {},
    response: { clientDataJSON, attestationObject },
  }
  return (await (${POST})('/passkeys', { name: 'laptop', response })).status
})()`

function verify(code: string): string {
  return `(${POST})('/two-factor/verify', { code: '${code}' }).then(({ status }) => status)`
}
