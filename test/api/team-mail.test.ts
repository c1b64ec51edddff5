import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { systemClock } from '../../src/runtime/clock.ts'
import { openMailer } from '../../src/runtime/mailer.ts'
import { Outage, withoutOutage } from '../../src/runtime/outage.ts'
import { troubleOf } from '../../src/store/unavailable.ts'
import { memoryLog } from '../support/memory-log.ts'
import { startServer } from '../support/processes/server.ts'
import { MailServer } from '../support/team/mail-server.ts'
import { addMember, PASSWORD, Page, redeem } from '../support/team/members.ts'

const mailServer = await new MailServer().listen()
const sendMail = openMailer({ smtpUrl: mailServer.url, from: 'Beckon <beckon@example.com>' })
const server = await startServer({ sendMail })
after(async () => {
  await server.close()
  mailServer.close()
})
const brand = await server.brand()
const { page: owner } = await addMember(server, { brand })

test('an invitation is mailed to the member, and shown to the inviter', async () => {
  const email = `${randomUUID()}@example.com`
  const { body, status } = await owner.post('/api/v1/team/members', { email, role: 'editor' })
  assert.equal(status, 200)
  assert.equal(body['mailed'], true)
  const mail = mailServer.mails.at(-1) ?? ''
  assert.ok(mail.includes(`To: ${email}`), mail)
  assert.ok(mail.includes('From: Beckon <beckon@example.com>'))
  const plain = mail.replaceAll('=\r\n', '')
  assert.ok(plain.includes(String(Object(body['link']).url)), plain)
})

test('the link of a reset is mailed to its member, and sets a new password', async () => {
  const { id, email } = await addMember(server, { brand, role: 'editor' })
  const { body, status } = await owner.post(`/api/v1/team/members/${id}/reset`)
  assert.deepEqual([status, body['mailed']], [200, true])
  const mail = (mailServer.mails.at(-1) ?? '').replaceAll('=\r\n', '')
  assert.ok(mail.includes(`To: ${email}`), mail)
  const token = /\/auth\/link\/([\w-]{40,})/.exec(mail)?.[1] ?? ''
  assert.ok(String(Object(body['link']).url).endsWith(token) && token !== '')
  const password = 'a password after the reset'
  assert.equal((await redeem(new Page(server), token, { password })).status, 303)
  const page = new Page(server, brand)
  assert.equal((await page.post('/auth/sign-in', { email, password: PASSWORD })).status, 401)
  assert.equal((await page.post('/auth/sign-in', { email, password })).status, 200)
})

test('a reset without a link mails nothing', async () => {
  const { id } = await addMember(server, { brand, role: 'editor' })
  await server.asOwner(`update members set is_administrator = true where id = '${id}'`)
  const { length } = mailServer.mails
  const { body, status } = await owner.post(`/api/v1/team/members/${id}/reset`)
  assert.deepEqual([status, body['mailed'], body['link']], [200, false, null])
  assert.equal(mailServer.mails.length, length)
})

test('a server beyond this machine that offers no encryption gets no mail', async (context) => {
  // The mailer knows this machine by three names, and this address is none of them.
  const plain = await new MailServer().listen('127.0.0.2')
  context.after(() => plain.close())
  const mail = { to: 'grace@example.com', subject: 'Your link', text: 'the link' }
  const from = 'beckon@example.com'
  await assert.rejects(openMailer({ smtpUrl: plain.url, from })(mail), /STARTTLS/)
  assert.deepEqual(plain.commands.slice(0, 2), ['EHLO', 'STARTTLS'])
  assert.ok(!plain.commands.includes('MAIL') && !plain.commands.includes('DATA'), plain.commands.join())
  assert.deepEqual(plain.mails, [])
})

test('an invitation holds when its mail is refused, and the reply says so', async () => {
  mailServer.refuses = true
  const email = `${randomUUID()}@example.com`
  const { body, status } = await owner.post('/api/v1/team/members', { email, role: 'editor' })
  assert.equal(status, 200)
  assert.equal(body['mailed'], false)
  assert.notEqual(body['link'], null)
})

test('a mail server that is silent is logged as such, and is no outage of the database', async (context) => {
  const lines = memoryLog()
  const outage = new Outage({ log: lines, clock: systemClock, troubleOf })
  const silent = await startServer({
    sendMail: async () => {
      throw Object.assign(new Error('Greeting never received'), { code: 'ETIMEDOUT' })
    },
    deps: { log: withoutOutage(lines, outage) },
  })
  context.after(silent.close)
  const { page } = await addMember(silent, { brand: await silent.brand() })
  const email = `${randomUUID()}@example.com`
  const { status } = await page.post('/api/v1/team/members', { email, role: 'editor' })
  assert.equal(status, 200)
  assert.equal(outage.ageMs(), null)
  const warnings = lines.lines.filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warnings.map(({ message, fields }) => [message, fields['reason']]),
    [['a mail to a member was not sent', 'Greeting never received']],
  )
})

test('an address with a line break cannot add a recipient', async () => {
  const email = 'grace@example.com\r\nBcc: eve@example.com'
  assert.equal((await owner.post('/api/v1/team/members', { email, role: 'editor' })).status, 400)
})
