import { namesInFilter } from '../../domain/segments/names.ts'
import type { WrittenFilter } from '../../domain/segments/segment.ts'
import type { Path } from '../../domain/values/path.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { findUnusedNames } from '../../store/segments/known-names.ts'
import type { Deps } from '../deps.ts'

/** Warnings about events and attributes that the brand never used: the condition finds nobody or, if negated, everybody. */
export async function nameWarnings(
  { database }: Deps,
  brandId: number,
  filter: WrittenFilter,
  path: Path = 'filter',
): Promise<readonly Warning[]> {
  const names = namesInFilter(filter, path)
  if (names.length === 0) return []
  const unused = await database.asBrand(brandId, async (tx) => findUnusedNames(tx, brandId, names))
  return unused.map((name) =>
    name.kind === 'event'
      ? warning('unknown_event', name.path)
      : warning('unknown_attribute', name.path, {
          of: name.eventName === '' ? 'person' : 'event of this name',
        }),
  )
}
