import type { Verdict } from '../domain/push/verdict.ts'
import { unreachable } from '../domain/unreachable.ts'
import { SANDBOX_MISSING_REASON } from '../rules/virtual-devices.ts'
import type { ClaimedChunk } from '../store/push/chunks.ts'
import { saveReceipts } from '../store/push/receipts.ts'
import type { CredentialSender, Send } from './channel-sender.ts'
import type { SendDeps } from './chunk-job.ts'
import type { RecipientVerdict } from './outcomes.ts'

/**
 * A sender that hands the messages of virtual devices to the sandbox, and all others to the brand's push service. Null
 * when there is no sandbox: then the messages of virtual devices fail, and no push service ever sees their addresses.
 */
export function withVirtualDevices(
  own: CredentialSender,
  sandbox: CredentialSender | null,
): CredentialSender {
  return {
    ...own,
    hostOf: (recipient) => {
      if (!recipient.isVirtual) return own.hostOf(recipient)
      return sandbox === null ? NOWHERE : sandbox.hostOf(recipient)
    },
    prepare: (content) => {
      const sendOwn = own.prepare(content)
      let sendVirtual: Send | null = null
      return (recipient, ids, listener) => {
        if (!recipient.isVirtual) return sendOwn(recipient, ids, listener)
        if (sandbox === null) return listener.onVerdict({ kind: 'refused', reason: SANDBOX_MISSING_REASON })
        sendVirtual ??= sandbox.prepare(content)
        return sendVirtual(recipient, ids, {
          onVerdict: (verdict) => listener.onVerdict(verdictOfOne(verdict)),
          onError: (cause) => listener.onError(cause),
        })
      }
    },
  }
}

/** The host of virtual devices on a machine without a sandbox. Nothing is ever sent there. */
const NOWHERE = 'https://sandbox.invalid'

/** An answer of the sandbox concerns the one message: it neither pauses the brand's channel nor retires a virtual device. */
function verdictOfOne(verdict: Verdict): Verdict {
  switch (verdict.kind) {
    case 'accepted':
    case 'refused':
    case 'unknown':
      return verdict
    case 'gone':
      return { kind: 'refused', reason: verdict.reason }
    case 'retry':
      return { ...verdict, scope: 'address' }
    case 'paused':
      return { kind: 'retry', reason: verdict.reason, waitMs: 0, scope: 'address' }
    default:
      return unreachable(verdict)
  }
}

/** A virtual device shows a message as soon as it has it, and reports that as an app does. */
export async function reportShown(
  { database, clock }: Pick<SendDeps, 'database' | 'clock'>,
  { brandId, notificationId }: ClaimedChunk,
  verdicts: readonly RecipientVerdict[],
): Promise<void> {
  const receipts = verdicts
    .filter(({ recipient, verdict }) => recipient.isVirtual && verdict.kind === 'accepted')
    .map(({ recipient }) => ({
      notificationId,
      subscriptionId: recipient.id,
      kind: 'received' as const,
      button: null,
    }))
  if (receipts.length === 0) return
  const now = clock.now()
  await database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now }))
}
