import type { S3Place } from '../../../src/runtime/object-store/s3-store.ts'
import { S3_BUCKET, S3_KEYS, S3_REGION } from './s3-server.ts'

/** A place in the test's own store. */
export function placeOf(server: string, change: Partial<S3Place> = {}): S3Place {
  return { server, region: S3_REGION, bucket: S3_BUCKET, prefix: 'some/prefix', keys: S3_KEYS, ...change }
}
