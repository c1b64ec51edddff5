import { EVENT_QUERY_LIMITS } from '../../../src/rules/event-queries.ts'
import { useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Count, useFormat } from '../kit/number.tsx'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useBrandZone } from '../kit/zone.ts'
import { timeFields, useAskedTime } from './asked-time.ts'
import { useAsking } from './asking.ts'
import { Cost } from './cost.tsx'
import { NamePicker } from './name-picker.tsx'
import { NumberChoice } from './number-choice.tsx'
import { numberIn } from './number-word.ts'
import { TOP } from './parts.ts'
import styles from './paths.module.css'
import { PathsTable } from './paths-table.tsx'
import { PATHS_TEXTS } from './paths-texts.ts'
import { rowsAddress } from './range.ts'
import { TimeChoice } from './range-choice.tsx'
import type { PathsReply } from './replies.ts'
import tools from './tools.module.css'
import { useWithin, WITHIN } from './within.ts'
import { WithinChoice } from './within-choice.tsx'

const DEPTH = {
  usual: EVENT_QUERY_LIMITS.pathDepthDefault,
  min: 1,
  max: EVENT_QUERY_LIMITS.pathDepthMax,
} as const

/** The paths of people after an event, step by step. */
export function PathsView() {
  const texts = useTexts(PATHS_TEXTS)
  const [words, change] = useSearchWords()
  const start = words['name'] ?? ''
  const time = useAskedTime(useBrandZone())
  const depth = numberIn(words['depth'], DEPTH)
  const query = {
    event_name: start,
    depth,
    within: WITHIN[useWithin('day')],
    top: numberIn(words['top'], TOP),
    ...timeFields(time),
  }
  const isEnabled = start !== ''
  const asking = useAsking('GET /api/v1/events/paths', (how) => ({ query: { ...query, ...how } }), {
    isEnabled,
  })
  const { found } = asking
  const reply = isEnabled ? found.reply : undefined
  const toStart = rowsAddress({ name: start, from: time.from, to: time.to })
  return (
    <>
      <div className={tools['tools']}>
        <NamePicker
          isLabelShown
          label={texts.after}
          hint={texts.afterHint}
          value={start}
          onChange={(name) => change({ name })}
        />
        <NumberChoice label={texts.depth} word="depth" choice={DEPTH} />
        <NumberChoice label={texts.top} word="top" choice={TOP} />
      </div>
      <div className={tools['tools']}>
        <TimeChoice time={time} />
        <WithinChoice label={texts.within} usual="day" />
        <div className={tools['end']}>
          {isEnabled && <CopyCurl endpoint="GET /api/v1/events/paths" input={{ query }} />}
        </div>
      </div>
      {isEnabled && <Cost asking={asking} advice={texts.cheaper} />}
      {found.error !== null && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
      <Card title={texts.title} aside={isEnabled && <AsOf at={found.readAt} />} inset="flush">
        {!isEnabled && <Empty title={texts.teachTitle} text={texts.teach} />}
        {isEnabled && reply === undefined && asking.state === 'asking' && (
          <div className={tools['pad']}>
            <Lines count={6} />
          </div>
        )}
        {reply !== undefined && <Answer reply={reply} toStart={toStart} />}
        {reply !== undefined && (reply.users ?? 0) > 0 && (
          <PathsTable reply={reply} start={start} depth={depth} toStart={toStart} />
        )}
      </Card>
    </>
  )
}

type AnswerProps = { readonly reply: PathsReply; readonly toStart: string }

/** The share of people who did anything after it, if the paths tell who did not. */
function Answer({ reply, toStart }: AnswerProps) {
  const texts = useTexts(PATHS_TEXTS)
  const format = useFormat()
  const { users: all = 0, paths = [], rest = null } = reply
  if (all === 0) return <p className={`${tools['pad']} quiet small`}>{texts.nobody}</p>
  const ended = paths.find(({ events }) => events.length === 0)?.users ?? 0
  const isKnown = ended > 0 || rest === null
  return (
    <p className={styles.answer} aria-live="polite">
      {isKnown && (
        <>
          <b>{format.share((all - ended) / all)}</b> {texts.went} {format.count(all - ended)} {texts.of}{' '}
        </>
      )}
      <Count value={all} to={toStart} /> {texts.people}
    </p>
  )
}
