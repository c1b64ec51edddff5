import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { brandAddress, chosenBrand } from '../kit/brand.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRead, useWrite } from '../kit/queries.ts'
import { type Column, Table } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { BrandActions, type ListedBrand } from './brand-actions.tsx'
import { BRANDS_TEXTS } from './brands-texts.ts'
import styles from './page.module.css'
import { SETTINGS_TEXTS } from './texts.ts'
import { ZONES } from './zones.ts'

const QUERY = { limit: 200 } as const
const REFRESHES = ['GET /api/v1/brands', 'GET /api/v1/me'] as const

/** The brands of the whole Beckon, for its administrators. */
export function BrandsSection() {
  const texts = useTexts(BRANDS_TEXTS)
  const { members } = useTexts(SETTINGS_TEXTS)
  const { data, error, refetch } = useRead('GET /api/v1/brands', { query: QUERY })
  const columns: readonly Column<ListedBrand>[] = [
    {
      name: texts.brand,
      cell: ({ name, brand_id: id }) => (
        <>
          <b>{name}</b> <code className="quiet">{id}</code>
        </>
      ),
    },
    { name: texts.role, cell: ({ role }) => (role === null ? texts.noRole : members.roles[role]) },
    { name: texts.members, kind: 'number', cell: (brand) => <BrandCount brand={brand} of="members" /> },
    { name: texts.devices, kind: 'number', cell: (brand) => <BrandCount brand={brand} of="devices" /> },
    { name: texts.since, cell: ({ created_at: at }) => <Time at={at} /> },
    { name: texts.more, cell: (brand) => <BrandActions brand={brand} /> },
  ]
  const curl = <CopyCurl endpoint="GET /api/v1/brands" input={{ query: QUERY }} />
  return (
    <Stack>
      <Card title={texts.title} aside={curl} inset="flush">
        {error !== null && <FailureNote error={error} onRetry={() => void refetch()} />}
        <Table
          label={texts.title}
          columns={columns}
          rows={data?.brands}
          keyOf={({ brand_id: id }) => id}
          empty={<p className={styles.pad}>{texts.none}</p>}
        />
        <p className={`${styles.pad} tiny faint`}>{texts.asOf}</p>
      </Card>
      <NewBrand />
    </Stack>
  )
}

const COUNTS = {
  members: { path: '/settings/members', roles: ['owner'] },
  devices: { path: '/devices?state=live', roles: ['owner', 'editor', 'author', 'analyst'] },
} as const

type BrandCountProps = { readonly brand: ListedBrand; readonly of: keyof typeof COUNTS }

/** A link to the rows in their own brand, for a reader whose role shows them. */
function BrandCount({ brand, of }: BrandCountProps) {
  const format = useFormat()
  const { path, roles } = COUNTS[of]
  const value = of === 'members' ? brand.members : brand.live_subscriptions
  const text = <span className="num">{format.count(value)}</span>
  const isOpen = brand.state === 'live' && roles.some((role) => role === brand.role)
  return isOpen && value > 0 ? <a href={brandAddress(brand.brand_id, path)}>{text}</a> : text
}

const NONE = { brand_id: '', name: '' } as const

function NewBrand() {
  const texts = useTexts(BRANDS_TEXTS)
  const { data } = useRead('GET /api/v1/brand', {}, { isEnabled: chosenBrand() !== '' })
  const [draft, setDraft] = useState<{ brand_id: string; name: string; time_zone?: string }>(NONE)
  const create = useWrite('POST /api/v1/brands', { refreshes: REFRESHES, onDone: () => setDraft(NONE) })
  const zone = draft.time_zone ?? data?.brand.time_zone ?? 'UTC'
  const name = draft.name === '' ? draft.brand_id : draft.name
  const body = { ...draft, name, time_zone: zone }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate({ body })
  }
  return (
    <Card title={texts.new} aside={<CopyCurl endpoint="POST /api/v1/brands" input={{ body }} />}>
      <form className={styles.form} onSubmit={submit}>
        <p className="small quiet">{texts.hint}</p>
        <TextInput
          label={texts.name}
          placeholder="Leaf & Kettle"
          value={draft.name}
          onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
        />
        <TextInput
          label={texts.id}
          description={texts.idHint}
          placeholder="leaf-and-kettle"
          required
          withAsterisk={false}
          value={draft.brand_id}
          onChange={({ currentTarget }) => setDraft({ ...draft, brand_id: currentTarget.value })}
        />
        <Select
          label={texts.zone}
          searchable
          allowDeselect={false}
          data={ZONES}
          value={zone}
          onChange={(chosen) => setDraft({ ...draft, time_zone: chosen ?? zone })}
        />
        {create.error !== null && <FailureNote error={create.error} />}
        {create.data !== undefined && (
          <p role="status" className="small">
            {texts.made(create.data.brand.name)}{' '}
            <a href={brandAddress(create.data.brand.brand_id, '/')}>{texts.open}</a>
          </p>
        )}
        <Button type="submit" variant="filled" loading={create.isPending}>
          {texts.make}
        </Button>
      </form>
    </Card>
  )
}
