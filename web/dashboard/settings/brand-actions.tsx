import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { BRAND_DELETION } from '../../../src/rules/brand.ts'
import { brandAddress, chosenBrand, switchBrand } from '../kit/brand.ts'
import type { ReplyOf } from '../kit/call.ts'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMe } from '../kit/member.ts'
import { Pill } from '../kit/pill.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { BRANDS_TEXTS } from './brands-texts.ts'
import styles from './page.module.css'

export type ListedBrand = ReplyOf<'GET /api/v1/brands'>['brands'][number]

const REFRESHES = ['GET /api/v1/brands', 'GET /api/v1/me'] as const

type BrandProps = { readonly brand: ListedBrand }

/** Open, rename, delete; and restore while the days of grace last. */
export function BrandActions({ brand }: BrandProps) {
  const texts = useTexts(BRANDS_TEXTS)
  const [doing, setDoing] = useState<'rename' | 'delete' | null>(null)
  const isHere = brand.brand_id === chosenBrand()
  if (brand.restorable_until !== null) return <Restore brand={brand} until={brand.restorable_until} />
  if (doing === 'rename') return <Rename brand={brand} onDone={() => setDoing(null)} />
  if (doing === 'delete') return <Delete brand={brand} onDone={() => setDoing(null)} />
  return (
    <div className={styles.right}>
      {isHere && <span className="tiny faint">{texts.here}</span>}
      {!isHere && brand.role !== null && (
        <Button size="compact-sm" component="a" href={brandAddress(brand.brand_id, '/')}>
          {texts.switch}
        </Button>
      )}
      <Button size="compact-sm" onClick={() => setDoing('rename')}>
        {texts.rename}
      </Button>
      <Button size="compact-sm" c="var(--bad)" onClick={() => setDoing('delete')}>
        {texts.delete}
      </Button>
    </div>
  )
}

type DoingProps = BrandProps & { readonly onDone: () => void }

function Rename({ brand, onDone }: DoingProps) {
  const texts = useTexts(BRANDS_TEXTS)
  const [name, setName] = useState(brand.name)
  const write = useWrite('PATCH /api/v1/brands/{brand_id}', { refreshes: REFRESHES, onDone })
  const input = { path: { brand_id: brand.brand_id }, body: { name } }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    write.mutate(input)
  }
  return (
    <form onSubmit={submit}>
      <div className={styles.right}>
        <TextInput
          size="xs"
          aria-label={texts.nameOf(brand.brand_id)}
          autoFocus
          required
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button size="compact-sm" type="submit" variant="filled" loading={write.isPending}>
          {texts.save}
        </Button>
        <Button size="compact-sm" onClick={onDone}>
          {texts.cancel}
        </Button>
      </div>
      <CopyCurl endpoint="PATCH /api/v1/brands/{brand_id}" input={input} />
      {write.error !== null && <FailureNote error={write.error} />}
    </form>
  )
}

/** A deleted brand comes back with one click, but what its callers send meanwhile is refused; so the words come first. */
function Delete({ brand, onDone }: DoingProps) {
  const texts = useTexts(BRANDS_TEXTS)
  const { data } = useMe()
  const leave = (): void => {
    onDone()
    const next = data?.member.brands.find(({ brand_id: id }) => id !== brand.brand_id)
    if (brand.brand_id === chosenBrand() && next !== undefined) {
      switchBrand(next.brand_id, '/settings/brands')
    }
  }
  const write = useWrite('DELETE /api/v1/brands/{brand_id}', { refreshes: REFRESHES, onDone: leave })
  const input = { path: { brand_id: brand.brand_id } }
  return (
    <div className={styles.words}>
      <p className="small">{texts.deleteWhat(BRAND_DELETION.graceDays)}</p>
      <div className={styles.right}>
        <CopyCurl endpoint="DELETE /api/v1/brands/{brand_id}" input={input} />
        <Button size="compact-sm" onClick={onDone}>
          {texts.cancel}
        </Button>
        <Button
          size="compact-sm"
          c="var(--bad)"
          loading={write.isPending}
          onClick={() => write.mutate(input)}
        >
          {texts.deleteGo(brand.name)}
        </Button>
      </div>
      {write.error !== null && <FailureNote error={write.error} />}
    </div>
  )
}

function Restore({ brand, until }: BrandProps & { readonly until: string }) {
  const texts = useTexts(BRANDS_TEXTS)
  const write = useWrite('POST /api/v1/brands/{brand_id}/restore', { refreshes: REFRESHES })
  return (
    <>
      <div className={styles.right}>
        <Pill tone="bad">{texts.deleting}</Pill>
        <span className="tiny faint">
          {texts.until} <Time at={until} />
        </span>
        <Button
          size="compact-sm"
          loading={write.isPending}
          onClick={() => write.mutate({ path: { brand_id: brand.brand_id } })}
        >
          {texts.restore}
        </Button>
      </div>
      {write.error !== null && <FailureNote error={write.error} />}
    </>
  )
}
