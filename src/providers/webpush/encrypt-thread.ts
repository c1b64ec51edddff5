/** A thread that encrypts: one batch in, one batch out, in the same order. */
import { parentPort } from 'node:worker_threads'
import { packBodies, unpackJobs } from './batch.ts'
import { PushEncryption } from './encryption.ts'

const encryption = await PushEncryption.open()

parentPort?.on('message', (packed: ArrayBuffer) => {
  const bodies = encryption.encrypt([...unpackJobs(packed)])
  const reply = packBodies(bodies)
  parentPort?.postMessage(reply, [reply])
})
