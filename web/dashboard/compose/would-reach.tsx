import { Card } from '../kit/card.tsx'
import { DraftChain } from '../kit/draft-chain.tsx'
import { PersonPicker } from '../kit/person-picker.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

type WouldReachProps = {
  /** The number of the stored draft; null as long as nothing is stored. */
  readonly campaignId: string | null
  readonly person: string
  readonly setPerson: (userId: string) => void
}

/** Whether the draft would reach the previewed person, check by check, before it is sent. */
export function WouldReach({ campaignId, person, setPerson }: WouldReachProps) {
  const { why } = useTexts(COMPOSE_TEXTS)
  const picker = (
    <div className={styles.whom}>
      <PersonPicker
        label={why.choose}
        hidesLabel
        placeholder={why.choose}
        value={person}
        onChange={setPerson}
      />
    </div>
  )
  return (
    <Card title={why.title} aside={picker}>
      {person === '' || campaignId === null ? (
        <p className="small quiet">{person === '' ? why.hint : why.unsaved}</p>
      ) : (
        <DraftChain userId={person} campaignId={campaignId} />
      )}
    </Card>
  )
}
