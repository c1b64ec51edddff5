import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { openMailer } from '../../src/runtime/mailer.ts'
import { startServer } from '../support/processes/server.ts'
import { MailServer } from '../support/team/mail-server.ts'
import { addMember } from '../support/team/members.ts'

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

test('an invitation holds when its mail is refused, and the reply says so', async () => {
  mailServer.refuses = true
  const email = `${randomUUID()}@example.com`
  const { body, status } = await owner.post('/api/v1/team/members', { email, role: 'editor' })
  assert.equal(status, 200)
  assert.equal(body['mailed'], false)
  assert.notEqual(body['link'], null)
})

test('an address with a line break cannot add a recipient', async () => {
  const email = 'grace@example.com\r\nBcc: eve@example.com'
  assert.equal((await owner.post('/api/v1/team/members', { email, role: 'editor' })).status, 400)
})
