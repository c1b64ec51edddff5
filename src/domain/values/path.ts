/** Where a value stands in a JSON document, as the field of a fault tells it: `steps[2].wait_for.event`. */
export type Path = string

/** The path of a member of an object, or of an item of a list, that stands at a path. */
export function pathTo(path: Path, step: string | number): Path {
  if (typeof step === 'number') return `${path}[${step}]`
  return path === '' ? step : `${path}.${step}`
}
