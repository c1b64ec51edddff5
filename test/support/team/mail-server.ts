import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A mail server on loopback that keeps every mail, or refuses all of them. */
export class MailServer {
  /** The bodies of mails, as they came. */
  readonly mails: string[] = []
  refuses = false
  /** The commands that callers sent, in capitals, without their arguments. */
  readonly commands: string[] = []
  readonly #server = createServer((socket) => this.#serve(socket))

  async listen(host = '127.0.0.1'): Promise<this> {
    this.#server.listen(0, host)
    await once(this.#server, 'listening')
    return this
  }

  close(): void {
    this.#server.close()
  }

  get url(): string {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? `smtp://${address.address}:${address.port}` : ''
  }

  #serve(socket: Socket): void {
    let mail: string | null = null
    let rest = ''
    socket.on('error', () => undefined)
    socket.write('220 test\r\n')
    socket.setEncoding('utf8').on('data', (part: string) => {
      rest += part
      if (mail !== null && rest.includes('\r\n.\r\n')) {
        this.mails.push(rest)
        ;[mail, rest] = [null, '']
        socket.write('250 kept\r\n')
        return
      }
      for (let end = rest.indexOf('\r\n'); mail === null && end !== -1; end = rest.indexOf('\r\n')) {
        const [word = ''] = rest.slice(0, end).toUpperCase().split(' ')
        rest = rest.slice(end + 2)
        this.commands.push(word)
        if (word === 'DATA') mail = ''
        socket.write(this.#reply(word))
      }
    })
  }

  #reply(word: string): string {
    if (word === 'RCPT' && this.refuses) return '550 no\r\n'
    if (word === 'STARTTLS') return '502 no encryption here\r\n'
    if (word === 'DATA') return '354 go on\r\n'
    return word === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n'
  }
}
