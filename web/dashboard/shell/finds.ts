import type { User } from '../../client/api/profiles.ts'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { addressOfPerson, nameOf } from '../people/person.ts'
import { FINDER_TEXTS } from './finder-texts.ts'
import { LETTERS } from './shortcuts.tsx'
import { SHELL_TEXTS } from './texts.ts'

/** One line of the finder. `to` is an address, or the word of an action. */
export type Find = { readonly label: string; readonly to: string; readonly detail?: string }

export type FindGroup = {
  readonly name: 'pages' | 'actions' | 'people' | 'segments' | 'journeys' | 'campaigns' | 'templates'
  readonly finds: readonly Find[]
}

/** Pages and actions answer at once; what the server knows, when the reader stops typing. */
export function useFinds(typed: string, asked: string): readonly FindGroup[] {
  const fits = ({ label }: Find): boolean => label.toLowerCase().includes(typed.toLowerCase())
  const groups: readonly FindGroup[] = [
    { name: 'pages', finds: usePages().filter(fits) },
    { name: 'actions', finds: useActions().filter(fits) },
    { name: 'people', finds: usePeople(asked) },
    { name: 'segments', finds: useSegments(asked).filter(fits) },
    { name: 'journeys', finds: useJourneys(asked).filter(fits) },
    { name: 'campaigns', finds: useCampaigns(asked) },
    { name: 'templates', finds: useTemplates(asked) },
  ]
  return groups
    .map(({ name, finds }) => ({ name, finds: finds.slice(0, GROUP_MAX) }))
    .filter(({ finds }) => finds.length > 0)
}

const GROUP_MAX = 9
const NAMED_MAX = 200

function usePages(): readonly Find[] {
  const { pages } = useTexts(SHELL_TEXTS)
  const known = new Set(Object.values(LETTERS))
  return Object.entries(pages)
    .map(([name, label]) => ({ label, to: name === 'home' ? '/' : `/${name}` }))
    .filter(({ to }) => known.has(to))
}

function useActions(): readonly Find[] {
  const { actions } = useTexts(FINDER_TEXTS)
  const isAllowed = {
    compose: useMay('push', 'draft'),
    template: useMay('push', 'draft'),
    segment: useMay('segments'),
    journey: useMay('journeys'),
    device: useMay('subscriptions'),
    key: useMay('keys'),
    invite: useMay('members'),
    keys: true,
    docs: true,
  }
  return ACTIONS.filter(({ name }) => isAllowed[name]).map(({ name, to }) => ({ label: actions[name], to }))
}

const ACTIONS = [
  { name: 'compose', to: '/compose' },
  { name: 'template', to: '/templates/new' },
  { name: 'segment', to: '/segments/new' },
  { name: 'journey', to: '/journeys/new' },
  { name: 'device', to: '/devices' },
  { name: 'key', to: '/settings/keys' },
  { name: 'invite', to: '/settings/members' },
  { name: 'keys', to: 'keys' },
  { name: 'docs', to: '/docs' },
] as const

function usePeople(asked: string): readonly Find[] {
  const { anonymous } = useTexts(FINDER_TEXTS)
  const isEnabled = useMay('profiles:read') && asked !== ''
  const query = { search: asked, limit: GROUP_MAX }
  const { data } = useRead('GET /api/v1/users', { query }, { isEnabled })
  return (data?.users ?? []).map((person: User) => ({
    label: nameOf(person, anonymous),
    to: addressOfPerson(person),
    detail: person.email ?? person.userID ?? '',
  }))
}

function useSegments(asked: string): readonly Find[] {
  const isEnabled = useMay('segments:read') && asked !== ''
  const { data } = useRead('GET /api/v1/segments', { query: { limit: NAMED_MAX } }, { isEnabled })
  return (data?.segments ?? []).map(({ name, segment_id: id }) => ({ label: name, to: `/segments/${id}` }))
}

function useJourneys(asked: string): readonly Find[] {
  const isEnabled = useMay('journeys:read') && asked !== ''
  const { data } = useRead('GET /api/v1/journeys', { query: { limit: NAMED_MAX } }, { isEnabled })
  return (data?.journeys ?? []).map(({ name, journey_id: id }) => ({ label: name, to: `/journeys/${id}` }))
}

function useCampaigns(asked: string): readonly Find[] {
  const isEnabled = useMay('push:read') && asked !== ''
  const query = { text: asked, limit: GROUP_MAX }
  const { data } = useRead('GET /api/v1/campaigns', { query }, { isEnabled })
  return (data?.campaigns ?? []).map(({ name, campaign_id: id }) => ({
    label: name,
    to: `/messages/campaign/${id}`,
  }))
}

function useTemplates(asked: string): readonly Find[] {
  const isEnabled = useMay('push:read') && asked !== ''
  const query = { text: asked, limit: GROUP_MAX }
  const { data } = useRead('GET /api/v1/templates', { query }, { isEnabled })
  return (data?.templates ?? []).map(({ name, template_id: id }) => ({
    label: name,
    to: `/templates/${id}`,
  }))
}
