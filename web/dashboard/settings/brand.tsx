import { Button, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Brand } from '../../client/api/common.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useRead, useWrite } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { BRAND_TEXTS } from './brand-texts.ts'
import styles from './page.module.css'
import { QuietHoursFields } from './quiet-hours.tsx'
import { ZONES } from './zones.ts'

/** The settings that change how every message of the brand is sent. */
export function BrandSection() {
  const { data, error } = useRead('GET /api/v1/brand', {})
  if (error !== null) return <FailureNote error={error} />
  if (data === undefined) return <Lines count={8} />
  return <BrandForm brand={data.brand} key={data.brand.brand_id} />
}

type Draft = Omit<Brand, 'brand_id' | 'created_at' | 'default_sound'>

function BrandForm({ brand }: { readonly brand: Brand }) {
  const { brand: texts, save, saved } = useTexts(BRAND_TEXTS)
  const mayChange = useMay('brand')
  const [draft, setDraft] = useState<Draft>(brand)
  const write = useWrite('PATCH /api/v1/brand', { refreshes: ['GET /api/v1/brand', 'GET /api/v1/me'] })
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part })
  const body = changesOf(brand, draft)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    write.mutate({ body })
  }
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayChange} style={{ border: 0, padding: 0, margin: 0 }}>
        <Stack>
          <NameCard draft={draft} change={change} />
          <SendingCard draft={draft} change={change} />
          <TrackingCard draft={draft} change={change} />
        </Stack>
      </fieldset>
      {write.error !== null && <FailureNote error={write.error} />}
      {mayChange && (
        <div className={styles.foot}>
          <span role="status" className="small quiet">
            {write.isSuccess ? saved : ''}
          </span>
          <CopyCurl endpoint="PATCH /api/v1/brand" input={{ body }} />
          <Button
            type="submit"
            variant="filled"
            loading={write.isPending}
            disabled={Object.keys(body).length === 0}
          >
            {save}
          </Button>
        </div>
      )}
      <p className="tiny faint">{texts.id(brand.brand_id)}</p>
    </form>
  )
}

/** Only the fields that differ, so that two people who change different ones do not undo each other. */
function changesOf(brand: Brand, draft: Draft): Partial<Draft> {
  const stored: Draft = brand
  const names = Object.keys(FIELDS).filter(isField)
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(stored[name]) !== JSON.stringify(draft[name]))
      .map((name) => [name, draft[name]]),
  )
}

const FIELDS = {
  name: true,
  time_zone: true,
  language: true,
  frequency_cap: true,
  quiet_hours: true,
  approval_above: true,
  control_percent: true,
  profile_merging: true,
  allowed_origins: true,
  identity_verification: true,
} as const satisfies Record<keyof Draft, true>

function isField(name: string): name is keyof Draft {
  return name in FIELDS
}

type PartProps = { readonly draft: Draft; readonly change: (part: Partial<Draft>) => void }

function NameCard({ draft, change }: PartProps) {
  const { brand: texts } = useTexts(BRAND_TEXTS)
  return (
    <Card title={texts.title}>
      <div className={styles.form}>
        <TextInput
          label={texts.name}
          required
          withAsterisk={false}
          value={draft.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <Select
          label={texts.zone}
          description={texts.zoneHint}
          searchable
          data={ZONES}
          value={draft.time_zone}
          onChange={(zone) => change({ time_zone: zone ?? draft.time_zone })}
        />
        <TextInput
          label={texts.language}
          description={texts.languageHint}
          placeholder="en"
          value={draft.language ?? ''}
          onChange={({ currentTarget: { value } }) => change({ language: value === '' ? null : value })}
        />
      </div>
    </Card>
  )
}

function SendingCard({ draft, change }: PartProps) {
  const { brand: texts } = useTexts(BRAND_TEXTS)
  return (
    <Card title={texts.sending}>
      <div className={styles.form}>
        <QuietHoursFields value={draft.quiet_hours} onChange={(hours) => change({ quiet_hours: hours })} />
        <NumberInput
          label={texts.cap}
          description={texts.capHint}
          placeholder={texts.none}
          min={1}
          value={draft.frequency_cap ?? ''}
          onChange={(value) => change({ frequency_cap: numberOf(value) })}
        />
        <NumberInput
          label={texts.approval}
          description={texts.approvalHint}
          placeholder={texts.none}
          min={0}
          value={draft.approval_above ?? ''}
          onChange={(value) => change({ approval_above: numberOf(value) })}
        />
        <NumberInput
          label={texts.control}
          description={texts.controlHint}
          min={0}
          max={50}
          suffix=" %"
          value={draft.control_percent}
          onChange={(value) => change({ control_percent: Number(value) })}
        />
      </div>
    </Card>
  )
}

/** An empty field means no limit. */
function numberOf(value: string | number): number | null {
  return value === '' ? null : Number(value)
}

function TrackingCard({ draft, change }: PartProps) {
  const { brand: texts } = useTexts(BRAND_TEXTS)
  return (
    <Card title={texts.tracking}>
      <div className={styles.form}>
        <TagsInput
          label={texts.origins}
          description={texts.originsHint}
          placeholder="https://shop.example"
          value={[...draft.allowed_origins]}
          onChange={(origins) => change({ allowed_origins: origins })}
        />
        <Switch
          label={texts.verification}
          description={texts.verificationHint}
          checked={draft.identity_verification}
          onChange={({ currentTarget }) => change({ identity_verification: currentTarget.checked })}
        />
        <Switch
          label={texts.merging}
          description={texts.mergingHint}
          checked={draft.profile_merging}
          onChange={({ currentTarget }) => change({ profile_merging: currentTarget.checked })}
        />
      </div>
    </Card>
  )
}
