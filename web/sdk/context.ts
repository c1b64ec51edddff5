import { clip } from './clip.ts'

/** The facts of a page: its address, the referrer, the device. Plain data, so that tests need no browser. */
export type PageFacts = {
  readonly url: string
  readonly referrer: string
  readonly language: string
  readonly isMobile: boolean
}

/** How the visitor came to the site; the same for a whole session. */
export type Arrival = {
  readonly landing: string
  readonly referrer: string
  readonly utm: Readonly<Record<string, string>>
}

/** `context` of an event (spec §2.2). */
export type Context = {
  readonly language: string
  readonly platform: string
  readonly page: Readonly<Record<string, string>>
  readonly utm: Readonly<Record<string, string>>
}

/** Reads from the first page of a session how the visitor came. */
export function arrivalOf({ url, referrer }: PageFacts): Arrival {
  const given = new URL(url).searchParams
  const utm: Record<string, string> = {}
  for (const [field = '', ...parameters] of UTM) {
    const names = parameters.length > 0 ? parameters : [`utm_${field}`]
    const value = names.map((name) => given.get(name)).find(Boolean)
    if (value) utm[field] = clip(value)
  }
  return { landing: clean(url), referrer: clean(referrer), utm }
}

/** `isPrivate`: the browser has Global Privacy Control on. */
export function contextOf(page: PageFacts, arrival: Arrival, isPrivate: boolean): Context {
  const url = clean(page.url)
  return {
    language: page.language,
    platform: page.isMobile ? 'm-site' : 'website',
    page: present({
      url,
      query_params: new URL(url).search.slice(1),
      referrer: isPrivate ? '' : clean(page.referrer),
      landing_page_url: arrival.landing,
    }),
    utm: isPrivate ? {} : arrival.utm,
  }
}

/** The fields of `utm`, each with the parameters it is read from; a field without one is read from `utm_` and its name. */
const UTM = [
  ['campaign'],
  ['source'],
  ['medium'],
  ['term'],
  ['content'],
  ['google_click_id', 'gclid', 'wbraid', 'gbraid'],
  ['ad_source', 'ad_source', 'network'],
  ['adcampaign_id', 'adcampaign_id', 'campaignid', 'campaign_id'],
  ['adgroup_id', 'adgroup_id', 'adgroupid'],
  ['ad_id', 'ad_id', 'creative'],
]

const URL_CHARS_MAX = 2000

/** Removes user name and password from an address, and limits its length. */
function clean(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/, '$1').slice(0, URL_CHARS_MAX)
}

function present(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
}
