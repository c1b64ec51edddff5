/**
 * The cost of the lists of active quarter hours, without the series, which `bench -- rollups` measures. The hook that
 * leaves the series out has to stand before the first module that imports them.
 */
await import('./support/without-rollups.ts')
await import('./support/counting-cost.ts')
