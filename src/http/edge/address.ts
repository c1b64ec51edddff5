import type { Method, Route } from '../route.ts'

/** Finds what methods an address takes, so that a wrong method is told from a wrong address. */
export function methodsAt(routes: readonly Route[], pathname: string): readonly (Method | 'HEAD')[] {
  const found = routes.filter((route) => patternOf(route.path).test(pathname)).map((route) => route.method)
  const methods: readonly (Method | 'HEAD')[] = found.includes('GET') ? [...found, 'HEAD'] : found
  return [...new Set(methods)].toSorted()
}

/** Any letter case, with or without a slash at the end (decisions §2). */
function patternOf(path: string): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source.replace(/\/$/, '')}/?$`, 'i')
}
