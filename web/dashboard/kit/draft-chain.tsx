import { CheckChain } from './check-chain.tsx'
import { CHECK_TEXTS } from './check-texts.ts'
import { FailureNote } from './failure-note.tsx'
import { useRead } from './queries.ts'
import { Lines } from './skeleton.tsx'
import { useTexts } from './texts.tsx'

type DraftChainProps = { readonly userId: string; readonly campaignId: string }

/** Whether a person would get a campaign if it was launched now, and which check would stop it. */
export function DraftChain({ userId, campaignId }: DraftChainProps) {
  const texts = useTexts(CHECK_TEXTS)
  const { data, error } = useRead(
    'POST /api/v1/campaigns/{campaign_id}/explain',
    { path: { campaign_id: campaignId }, query: { user_id: userId } },
    { keepsFormer: true },
  )
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={8} />
  const { checks, would_reach: wouldReach } = data.explanation
  return (
    <>
      <p className="small quiet" role="status">
        {wouldReach ? texts.wouldReach : texts.wouldStop}
      </p>
      <CheckChain checks={checks} />
    </>
  )
}
