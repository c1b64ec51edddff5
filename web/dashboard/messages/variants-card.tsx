import type { Campaign, Clicked } from '../../client/api/campaigns.ts'
import { Link } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { Count, type Format, useFormat } from '../kit/number.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { useCampaignContent } from './campaign-content.ts'
import { addressOfPeople, type PeopleWords } from './campaign-people.tsx'
import styles from './message-page.module.css'
import { MESSAGE_TEXTS } from './message-texts.ts'

export type Results = ReplyOf<'GET /api/v1/campaigns/{campaign_id}/results'>['results']

type Row = {
  readonly name: string
  readonly text: string
  readonly people: number
  readonly clicked: Clicked | null
  readonly reached: Clicked | null
  readonly isHeld: boolean
  /** The question about the people of this row. */
  readonly who: PeopleWords
}

type VariantsProps = { readonly campaign: Campaign; readonly results: Results }

type VariantsCardProps = VariantsProps & {
  /** When the results were read, in milliseconds. */
  readonly asOf: number
}

/** The variants with the ranges in which their true rates lie, those held out, and when the decision falls. */
export function VariantsCard({ campaign, results, asOf }: VariantsCardProps) {
  const { variants: texts } = useTexts(MESSAGE_TEXTS)
  const rows = useRows({ campaign, results })
  const columns = useColumns(campaign)
  if (rows.length === 0) return null
  return (
    <Card title={texts.title} aside={<AsOf at={asOf} />} inset="flush">
      <Table label={texts.title} columns={columns} rows={rows} keyOf={({ name }) => name} />
      <p className={`small quiet ${styles.foot}`}>
        <Verdict campaign={campaign} results={results} />
      </p>
    </Card>
  )
}

function useRows({ campaign, results }: VariantsProps): readonly Row[] {
  const { variants: texts } = useTexts(MESSAGE_TEXTS)
  const { content: base } = useCampaignContent(campaign)
  const own = results.variants.map(({ name, people, clicked, reached }, index) => {
    const content = { ...base, ...campaign.variants?.[index]?.content }
    const text = content.message ?? content.title ?? ''
    return { name, text, people, clicked, reached, isHeld: false, who: { variant: name } }
  })
  const { held } = results.uplift
  const rate = held === undefined ? null : { rate: held.rate, low: held.rate, high: held.rate }
  const silent = { text: '', clicked: null, isHeld: true }
  const held_out = {
    ...silent,
    name: texts.heldOut,
    people: results.held_out,
    reached: rate,
    who: { group: 'held_out' },
  }
  const control = {
    ...silent,
    name: texts.control,
    people: results.in_control,
    reached: null,
    who: { group: 'control' },
  }
  return [...own, ...[held_out, control].filter(({ people }) => people > 0)]
}

function useColumns(campaign: Campaign): readonly Column<Row>[] {
  const { variants: texts } = useTexts(MESSAGE_TEXTS)
  const rowsOf = (who: PeopleWords): string => addressOfPeople(campaign.campaign_id, who)
  const goal: readonly Column<Row>[] =
    campaign.goal === undefined
      ? []
      : [
          {
            name: texts.goal,
            kind: 'number',
            cell: ({ reached, who }) => <Rate rate={reached} to={rowsOf({ ...who, did: 'reached' })} />,
          },
        ]
  return [
    {
      name: texts.variant,
      cell: ({ name, text, isHeld }) => (
        <span className={styles.variant}>
          {isHeld ? <span className="quiet">{name}</span> : <b>{name}</b>}{' '}
          <span className="quiet">{text}</span>
        </span>
      ),
    },
    {
      name: texts.people,
      kind: 'number',
      cell: ({ people, who }) => <Count value={people} to={rowsOf(who)} />,
    },
    {
      name: texts.click,
      kind: 'number',
      cell: ({ clicked, who }) => <Rate rate={clicked} to={rowsOf({ ...who, did: 'clicked' })} />,
    },
    ...goal,
  ]
}

type RateProps = { readonly rate: Clicked | null; readonly to: string }

/** A rate is a link to the people who make it up. */
function Rate({ rate, to }: RateProps) {
  const { variants: texts } = useTexts(MESSAGE_TEXTS)
  const format = useFormat()
  if (rate === null) return <span className="faint">–</span>
  return (
    <span title={texts.range(format.share(rate.low), format.share(rate.high))}>
      {rate.rate === 0 ? format.share(0) : <Link to={to}>{format.share(rate.rate)}</Link>}
      {rate.low < rate.high && (
        <span className={styles.range}>
          {pointsOf(format, rate.low)}–{pointsOf(format, rate.high)}
        </span>
      )}
    </span>
  )
}

/** A share in per cent points, without the sign. */
function pointsOf(format: Format, share: number): string {
  return format.amount(Math.round(share * 1000) / 10)
}

const HOUR_MS = 3_600_000

function Verdict({ campaign, results }: VariantsProps) {
  const { variants: texts } = useTexts(MESSAGE_TEXTS)
  const { language } = useLanguage()
  const format = useFormat()
  const { decision } = results
  if (decision !== null) {
    const name = decision.variant ?? ''
    const lead = decision.leads[0]
    const won =
      lead === undefined
        ? texts.plainWon(name)
        : texts.won(
            name,
            pointsOf(format, lead.value),
            pointsOf(format, lead.low),
            pointsOf(format, lead.high),
          )
    const words = {
      winner: won,
      no_difference: texts.noDifference(name),
      not_enough_data: texts.notEnough(name),
    }
    return (
      <>
        {words[decision.kind]} {texts.at(shortOf(new Date(decision.at), language))}
      </>
    )
  }
  const { winner, send_at: sendAt } = campaign
  const at =
    sendAt === null ? null : new Date(new Date(sendAt).getTime() + (winner?.after_hours ?? 0) * HOUR_MS)
  return (
    <>
      <Standing results={results} />
      {winner !== undefined && at !== null && ` ${texts.decides(shortOf(at, language))}`}
    </>
  )
}

/** Which variant is ahead now, and whether that may be chance. */
function Standing({ results }: { readonly results: Results }) {
  const { variants: texts } = useTexts(MESSAGE_TEXTS)
  const ranked = results.variants
    .flatMap(({ name, clicked }) => (clicked === null ? [] : [{ name, ...clicked }]))
    .toSorted((one, other) => other.rate - one.rate)
  const [first, second] = ranked
  if (first === undefined || second === undefined || first.rate === 0) return <>{texts.none}</>
  return <>{first.low > second.high ? texts.ahead(first.name) : texts.open(first.name)}</>
}
