import { CATALOGUE_LIMITS, CATALOGUE_LISTS, type CatalogueList } from '../../rules/catalogue.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import {
  ATTRIBUTE_QUERY,
  LIST_QUERY,
  listReader,
  readAttributes,
  readValues,
  VALUE_QUERY,
} from './catalogue.ts'
import { readTags, TAG_QUERY } from './tags.ts'
import { ATTRIBUTES_VIEW, LIST_ESTIMATED, LISTED_VIEW, TAGS_VIEW, VALUES_VIEW } from './view.ts'

const { wholeMax, eventsMax } = CATALOGUE_LIMITS
const READ = { group: 'Catalogue', method: 'GET', body: 'none', lane: 'reads' } as const
const PATH = '/api/v1/catalogue'
const SAMPLED = `Of an event, the values are those of its newest ${eventsMax} events. A brand with more than ${wholeMax} people is sampled evenly.`

const LISTS: readonly CatalogueList[] = ['languages', 'time_zones', 'app_versions', 'browsers']

/** Names, types and values that the author of a filter or a text can choose from. */
export const CATALOGUE_ROUTES: readonly Route[] = [
  {
    ...READ,
    path: `${PATH}/attributes`,
    summary: 'List attributes with their types, use and most frequent values',
    description: `The attributes of people or, with event_name, of an event, by name. ${SAMPLED} GET /api/v1/events/schema lists the events.`,
    scopes: ['profiles', 'segments'],
    querySchema: ATTRIBUTE_QUERY,
    reply: ATTRIBUTES_VIEW,
    handler: readAttributes,
  },
  {
    ...READ,
    path: `${PATH}/attributes/{attribute}/values`,
    summary: 'List the most frequent values of an attribute',
    description: `Of people or, with event_name, of an event. ${SAMPLED} Values longer than ${CATALOGUE_LIMITS.valueCharsMax} characters are left out.`,
    scopes: ['profiles', 'segments'],
    querySchema: VALUE_QUERY,
    reply: VALUES_VIEW,
    handler: readValues,
  },
  {
    ...READ,
    path: `${PATH}/tags`,
    summary: 'List the tags of devices and people',
    description: 'The most frequent first, or by name. Every tag is counted, in a brand of any size.',
    scopes: ['subscriptions', 'segments'],
    querySchema: TAG_QUERY,
    reply: TAGS_VIEW,
    handler: readTags,
  },
  ...LISTS.map(
    (list): Route => ({
      ...READ,
      path: `${PATH}/${list}`,
      summary: `List ${CATALOGUE_LISTS[list].title}`,
      description: `The most frequent first. A brand with more than ${wholeMax} devices is sampled evenly, so that a rare value may be missing.`,
      scopes: ['subscriptions', 'segments'],
      querySchema: LIST_QUERY,
      reply: Type.Object({ [list]: LISTED_VIEW, ...LIST_ESTIMATED }),
      handler: listReader(list),
    }),
  ),
]
