import type { IosCredential } from '../../src/domain/push/credential.ts'

/** How `parse-server` is to run. */
export type ParseJob = {
  readonly databaseURI: string
  readonly port: number
  readonly farEnd: string
  readonly certificate: string
  readonly credential: IosCredential
}

/** Headers of a call with all rights. */
export const PARSE_HEADERS = {
  'x-parse-application-id': 'bench',
  'x-parse-master-key': 'the master key of a benchmark',
} as const
