/** The lists of values of devices that a filter can name. Tags, which people have too, are counted apart. */
export const CATALOGUE_LISTS = {
  languages: { column: 'language', title: 'the languages of devices' },
  time_zones: { column: 'time_zone', title: 'the time zones of devices' },
  app_versions: { column: 'app_version', title: 'the versions of apps' },
  browsers: { column: 'browser', title: 'the browsers of web subscriptions' },
} as const

export type CatalogueList = keyof typeof CATALOGUE_LISTS

/** The orders of the list of tags. */
export const TAG_SORTS = ['name', 'count'] as const

/**
 * The work of one read of the catalogue. A brand with more people or devices than `wholeMax` is not read whole: the
 * numbers come from rows that are evenly spread over it, in so many groups of so many rows.
 */
export const CATALOGUE_LIMITS = {
  prefixCharsMax: 100,
  wholeMax: 5_000,
  groups: 100,
  groupSize: 50,
  /** The most frequent values of an event's attributes are those of so many of its newest events. */
  eventsMax: 2_000,
  /** Rows with more bytes of attributes than this are passed over. */
  attributeBytesMax: 16_384,
  /** Longer values are no choice of an auto-complete. */
  valueCharsMax: 200,
  valuesMax: 100,
  valuesDefault: 20,
  /** With each attribute of a list. */
  topValuesMax: 20,
  topValuesDefault: 5,
} as const
