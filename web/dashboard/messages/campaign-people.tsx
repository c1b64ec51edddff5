import { Button } from '@mantine/core'
import { CAMPAIGN_DEEDS, CAMPAIGN_GROUPS } from '../../../src/rules/campaign-people.ts'
import type { Campaign } from '../../client/api/campaigns.ts'
import { addressOf, useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Amount, Count } from '../kit/number.tsx'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { COUNTED_TEXTS } from './counted-texts.ts'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'
import { RecipientName } from './recipient-name.tsx'
import { NO_TIME, TimeButton } from './time-button.tsx'

const LIST = 'GET /api/v1/campaigns/{campaign_id}/people'
const PAGE_ROWS = 100

type Person = ReplyOf<typeof LIST>['people'][number]

/** The words of an address that ask for the people behind a number. */
export type PeopleWords = {
  readonly variant?: string
  readonly group?: string
  readonly did?: string
  /** The time of the goal events of people who converted. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const NAMES = ['variant', 'group', 'did'] as const

export function addressOfPeople(id: Campaign['campaign_id'], words: PeopleWords): string {
  return `${addressOf(`/messages/campaign/${id}`, words)}#people`
}

export function hasPeopleWords(words: Readonly<Record<string, string | undefined>>): boolean {
  return NAMES.some((name) => (words[name] ?? '') !== '')
}

/** The people behind a number of the variants or the goal, one row a person. */
export function CampaignPeople({ campaign }: { readonly campaign: Campaign }) {
  const texts = useTexts(COUNTED_TEXTS)
  const [{ variant = '', group: groupName, did: didName, from = '', to = '' }] = useSearchWords()
  const group = CAMPAIGN_GROUPS.find((name) => name === groupName)
  const did = CAMPAIGN_DEEDS.find((name) => name === didName)
  const query = {
    limit: PAGE_ROWS,
    ...(variant === '' ? {} : { variant }),
    ...(group && { group }),
    ...(did && { did }),
    ...(did === 'converted' && from !== '' && { from }),
    ...(did === 'converted' && to !== '' && { to }),
  }
  const input = { path: { campaign_id: String(campaign.campaign_id) }, query }
  const list = useRows(LIST, input, { rowsOf: ({ people }) => people })
  const columns = useColumns(campaign)
  const chosen = {
    variant: variant === '' ? null : texts.variant(variant),
    group: group === undefined ? null : texts.groups[group],
    did: did === undefined ? null : texts.did[did],
  }
  return (
    <div id="people">
      <Card title={texts.title} inset="flush" aside={<CopyCurl endpoint={LIST} input={input} />}>
        <Chosen chosen={chosen} time={did === 'converted' ? { from, to } : null} />
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        <VirtualTable
          label={texts.title}
          columns={columns}
          list={list}
          empty={<Empty title={texts.none} text={texts.noneText} />}
        />
      </Card>
    </div>
  )
}

type ChosenProps = {
  readonly chosen: Readonly<Record<(typeof NAMES)[number], string | null>>
  readonly time: { readonly from: string; readonly to: string } | null
}

/** Each narrowing with a way out of it, and the way back to the devices. */
function Chosen({ chosen, time }: ChosenProps) {
  const texts = useTexts(COUNTED_TEXTS)
  const { people } = useTexts(MESSAGE_TEXTS)
  const [, change] = useSearchWords()
  return (
    <div className={styles.narrow}>
      {NAMES.map((name) => {
        const words = chosen[name]
        return words === null ? null : (
          <Button
            key={name}
            size="compact-sm"
            rightSection="×"
            aria-label={texts.drop(words)}
            onClick={() => change({ [name]: '', ...(name === 'did' ? NO_TIME : {}) })}
          >
            {people.reason(words)}
          </Button>
        )
      })}
      {time !== null && <TimeButton {...time} onDrop={() => change(NO_TIME)} />}
      <Button size="compact-sm" onClick={() => change({ variant: '', group: '', did: '', ...NO_TIME })}>
        {texts.all}
      </Button>
    </div>
  )
}

function useColumns(campaign: Campaign): readonly Column<Person>[] {
  const texts = useTexts(COUNTED_TEXTS)
  // The events of the goal since the message was sent, those after its end among them.
  const eventsOf = ({ user_id: person }: Person): string | undefined =>
    person === null
      ? undefined
      : addressOf('/events/rows', { person, name: campaign.goal?.event, from: campaign.send_at ?? undefined })
  const goal: readonly Column<Person>[] = [
    {
      name: texts.events,
      kind: 'number',
      cell: (row) => <Count value={(row.converted ?? row.reached)?.events ?? 0} to={eventsOf(row)} />,
    },
    {
      name: texts.value,
      kind: 'number',
      cell: (row) => <Amount value={Number((row.converted ?? row.reached)?.ltv ?? 0)} to={eventsOf(row)} />,
    },
  ]
  return [
    {
      name: texts.person,
      cell: (person) => <Who person={person} why={`campaign:${campaign.campaign_id}`} />,
    },
    {
      name: texts.group,
      cell: ({ group, variant }) => (
        <span className={styles.when}>
          {group !== null && (variant === null ? texts.groups[group] : texts.variant(variant))}
        </span>
      ),
    },
    {
      name: texts.clicked,
      cell: ({ clicked_at: at }) => (
        <span className={`quiet ${styles.when}`}>{at === null ? '–' : <Time at={at} />}</span>
      ),
    },
    ...(campaign.goal === undefined ? [] : goal),
  ]
}

function Who({ person, why }: { readonly person: Person; readonly why: string }) {
  const { lone, gone } = useTexts(COUNTED_TEXTS)
  const { user_id: userId, subscription_id: device } = person
  return <RecipientName {...{ userId, device, why, gone }} nobody={lone} />
}
