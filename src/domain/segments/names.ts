import { PERSON_NAMES } from '../../rules/segments.ts'
import { unreachable } from '../unreachable.ts'
import { type Path, pathTo } from '../values/path.ts'
import type { WrittenFilter } from './segment.ts'

/** An event or an attribute that a filter names, and where. `eventName` is '' for an attribute of people. */
export type NamedInFilter =
  | { readonly kind: 'event'; readonly eventName: string; readonly path: Path }
  | {
      readonly kind: 'attribute'
      readonly eventName: string
      readonly attribute: string
      readonly path: Path
    }

/** The events and attributes that a filter names, as it is written. The names of people are always known. */
export function namesInFilter(filter: WrittenFilter, path: Path = 'filter'): readonly NamedInFilter[] {
  const own = pathTo(path, filter.kind)
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.flatMap((part, at) => namesInFilter(part, pathTo(own, at)))
    case 'not':
      return namesInFilter(filter.of, own)
    case 'attribute': {
      const { attribute } = filter
      return Object.hasOwn(PERSON_NAMES, attribute)
        ? []
        : [{ kind: 'attribute', eventName: '', attribute, path: own }]
    }
    case 'event': {
      const { event: eventName, where } = filter
      const wherePath = pathTo(path, 'where')
      const attributes = where.map(({ attribute }, at): NamedInFilter => {
        return { kind: 'attribute', eventName, attribute, path: pathTo(pathTo(wherePath, at), 'attribute') }
      })
      return [{ kind: 'event', eventName, path: own }, ...attributes]
    }
    case 'tag':
    case 'users':
    case 'field':
    case 'segment':
      return []
    default:
      return unreachable(filter)
  }
}
