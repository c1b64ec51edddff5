import { randomUUIDv7 } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Fault, fault } from '../../domain/fault.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { errorCode } from '../../runtime/errors.ts'
import { refuse } from '../reply.ts'
import { SECURITY_HEADERS } from './write.ts'

type BrokenConnection = {
  readonly socket: Socket
  /** The last reply on this connection, if any. */
  readonly last: ServerResponse | undefined
  readonly headerBytesMax: number
  /** Called with the id and the status of the reply. */
  readonly onReplied: (id: string, status: number) => void
}

/**
 * Replies to bytes that are no request, or did not come in time. There is no route and no handler, so the reply is
 * written straight to the socket, in the usual envelope. A caller who already has a reply gets no second one.
 */
export function replyBroken(cause: Error, { socket, last, ...given }: BrokenConnection): void {
  if (errorCode(cause) === 'ECONNRESET' || !socket.writable || isAnswered(last)) {
    socket.destroy()
    return
  }
  const { status, body } = refuse({ faults: [faultOf(cause, given.headerBytesMax)] })
  const id = randomUUIDv7()
  const text = encodeJson({ ...Object(body), request_id: id })
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-request-id': id,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  given.onReplied(id, status)
}

function isAnswered(last: ServerResponse | undefined): boolean {
  if (last?.headersSent !== true) return false
  return !last.writableFinished || !last.req.complete
}

function faultOf(cause: Error, headerBytesMax: number): Fault {
  const code = errorCode(cause)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request_timeout')
  if (code === 'HPE_HEADER_OVERFLOW') return fault('headers_too_large', null, { max: headerBytesMax })
  return fault('malformed_request', null, { detail: 'it cannot be parsed' })
}
