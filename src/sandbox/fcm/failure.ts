import type { CallReply } from '../call.ts'

/** Why FCM refuses a request, in the terms of Google's APIs. */
export type FcmFailure = {
  readonly status: number
  readonly rpcStatus: string
  readonly errorCode?: string
  readonly message: string
  /** The field that is wrong, for INVALID_ARGUMENT. */
  readonly field?: string
  readonly retryAfterSeconds?: number
}

export function invalidArgument(field: string, message: string): FcmFailure {
  return { status: 400, rpcStatus: 'INVALID_ARGUMENT', errorCode: 'INVALID_ARGUMENT', message, field }
}

export function failureReply(failure: FcmFailure): CallReply {
  const { status, rpcStatus, errorCode, message, field, retryAfterSeconds } = failure
  const details = [
    ...(errorCode === undefined ? [] : [{ '@type': FCM_ERROR, errorCode }]),
    ...(field === undefined
      ? []
      : [{ '@type': BAD_REQUEST, fieldViolations: [{ field, description: message }] }]),
  ]
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify({ error: { code: status, message, status: rpcStatus, details } }),
  }
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
