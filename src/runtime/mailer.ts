export type Mail = { readonly to: string; readonly subject: string; readonly text: string }

/** Sends one mail, or throws. */
export type SendMail = (mail: Mail) => Promise<void>

export type MailSettings = {
  readonly smtpUrl: string
  /** The sender, such as `Beckon <beckon@example.com>`. */
  readonly from: string
}

/**
 * A client of the operator's mail server. The mails contain links that sign people in, so the connection is encrypted, on
 * every server but one on this machine. The library is loaded with the first mail, so that no start waits for it.
 */
export function openMailer({ smtpUrl, from }: MailSettings): SendMail {
  const { hostname, protocol } = new URL(smtpUrl)
  const isLocal = LOOPBACK.has(hostname)
  const settings = {
    url: smtpUrl,
    requireTLS: protocol === 'smtp:' && !isLocal,
    ignoreTLS: protocol === 'smtp:' && isLocal,
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return async ({ to, subject, text }) => {
    const { createTransport } = await import('nodemailer')
    await createTransport(settings).sendMail({ from, to: { name: '', address: to }, subject, text })
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const ANSWER_MS = 10_000
