import { DEMO_USER } from '../../rules/brand.ts'
import { bodySchema } from '../fields/schema.ts'
import type { Route, TenantRoute } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { approveCampaign, refuseCampaign } from './approval.ts'
import { AUDIENCE_PAGE, AUDIENCE_QUERY, readCampaignAudience } from './audience.ts'
import { CAMPAIGN_RULES } from './body.ts'
import { changeOneCampaign, createOneCampaign, duplicateCampaign, readCampaign } from './campaigns.ts'
import { CAMPAIGN_DELIVERY_PAGE, CAMPAIGN_DELIVERY_QUERY, readCampaignDeliveries } from './deliveries.ts'
import { dryRunCampaign } from './dry-run.ts'
import { DRY_RUN_QUERY } from './dry-run-view.ts'
import { CAMPAIGN_EXPLAIN_QUERY, CAMPAIGN_EXPLANATION, explainDocument, explainStored } from './explain.ts'
import { CAMPAIGN_QUERY, listAllCampaigns } from './list.ts'
import { CAMPAIGN_PEOPLE_QUERY, CAMPAIGN_PERSON, listPeopleOfCampaign } from './people.ts'
import { readCampaignResults } from './results.ts'
import { CAMPAIGN_RESULTS } from './results-view.ts'
import {
  CAMPAIGN_JSON as BODY,
  CAMPAIGN_DOCUMENT_REFUSALS as DOCUMENT_REFUSALS,
  CAMPAIGN_EXAMPLE as EXAMPLE,
  CAMPAIGN_FACTS as FACTS,
  CAMPAIGN_ONE_PATH as ONE_PATH,
  CAMPAIGN_PATH as PATH,
} from './route-facts.ts'
import { archiveOneCampaign, cancelCampaign, LAUNCH_QUERY, launchOneCampaign } from './states.ts'
import { TEST_BODY, TEST_REPLY, testCampaign } from './test-send.ts'
import { CAMPAIGN_DRY_RUN, CAMPAIGN_VIEW } from './view.ts'

const ONE = Type.Object({ campaign: CAMPAIGN_VIEW })
/** The refusals of a campaign that is to be sent or scheduled anew. */
const LAUNCH_REFUSALS = [
  ...DOCUMENT_REFUSALS,
  'campaign_state',
  'campaign_version',
  'schedule_in_past',
] as const

const LIST: Route = {
  ...FACTS,
  method: 'GET',
  path: PATH,
  summary: 'List campaigns',
  description: 'Newest first.',
  body: 'none',
  querySchema: CAMPAIGN_QUERY,
  reply: Type.Object({ campaigns: Type.Array(CAMPAIGN_VIEW), ...NEXT_CURSOR }),
  handler: listAllCampaigns,
}

/** The curl lines about one campaign take the newest. */
const NEWEST = { route: LIST, member: 'campaign_id', pick: 'first', replaces: '<campaign_id>' } as const
const READ = { ...FACTS, method: 'GET', body: 'none', exampleFrom: NEWEST, lane: 'reads' } as const

export const CAMPAIGN_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    ...BODY,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: PATH,
    summary: 'Create a campaign',
    description:
      'One message for several platforms. The new campaign is a draft until you launch it. docs/campaigns.md describes the fields.',
    bodySchema: bodySchema(CAMPAIGN_RULES.create),
    reply: ONE,
    example: EXAMPLE,
    refusals: [...DOCUMENT_REFUSALS, 'too_many_campaigns'],
    isIdempotent: true,
    handler: createOneCampaign,
  },
  LIST,
  {
    ...FACTS,
    method: 'GET',
    path: ONE_PATH,
    summary: 'Read a campaign with its present counts',
    body: 'none',
    reply: ONE,
    exampleFrom: NEWEST,
    refusals: ['campaign_not_found'],
    handler: readCampaign,
  },
  {
    ...FACTS,
    ...BODY,
    scopes: ['push', 'draft'],
    method: 'PATCH',
    path: ONE_PATH,
    summary: 'Change a campaign',
    description:
      'A given field replaces the stored one, and null removes it. A campaign can be changed until its first message may leave; a scheduled one is scheduled anew.',
    bodySchema: bodySchema(CAMPAIGN_RULES.change),
    reply: ONE,
    example: { version: 1, name: 'Autumn teas, second try' },
    exampleFrom: NEWEST,
    refusals: LAUNCH_REFUSALS,
    lane: 'sends',
    handler: changeOneCampaign,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${ONE_PATH}/duplicate`,
    summary: 'Duplicate a campaign',
    description: 'The copy is a draft with the same fields.',
    body: 'none',
    reply: ONE,
    exampleFrom: NEWEST,
    refusals: ['campaign_not_found', 'too_many_campaigns'],
    isIdempotent: true,
    handler: duplicateCampaign,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${ONE_PATH}/dry_run`,
    summary: 'Try out a campaign',
    description:
      'Counts the people and the devices that it would reach now, and shows the payload of each platform. Nothing is stored or sent.',
    body: 'none',
    querySchema: DRY_RUN_QUERY,
    reply: CAMPAIGN_DRY_RUN,
    exampleFrom: NEWEST,
    refusals: [...DOCUMENT_REFUSALS, 'schedule_in_past', 'profile_not_found'],
    lane: 'sends',
    handler: dryRunCampaign,
  },
  {
    ...FACTS,
    ...BODY,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${PATH}/explain`,
    isRead: true,
    summary: 'Explain whether a person would get a campaign that is not stored',
    description:
      'The checks that a launch would ask about the person at this moment, each with its rule and the fact that it saw, up to the one that fails. The body is that of a new campaign, with a user_id. Nothing is stored or sent.',
    bodySchema: bodySchema(CAMPAIGN_RULES.explain),
    reply: CAMPAIGN_EXPLANATION,
    example: { user_id: DEMO_USER, ...EXAMPLE },
    refusals: [...DOCUMENT_REFUSALS, 'schedule_in_past'],
    lane: 'reads',
    handler: explainDocument,
  },
  {
    ...FACTS,
    scopes: ['push', 'draft'],
    method: 'POST',
    path: `${ONE_PATH}/explain`,
    isRead: true,
    summary: 'Explain whether a person would get a campaign that was launched now',
    description:
      'The same for a stored campaign. Its number decides who is held out and who gets which variant, so only a stored campaign can tell that.',
    body: 'none',
    querySchema: CAMPAIGN_EXPLAIN_QUERY,
    reply: CAMPAIGN_EXPLANATION,
    exampleFrom: NEWEST,
    refusals: [...DOCUMENT_REFUSALS, 'schedule_in_past'],
    lane: 'reads',
    handler: explainStored,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${ONE_PATH}/test`,
    summary: 'Send a campaign to a few people as a test',
    description:
      'The message as it is stored, now, to up to 20 chosen people on their devices. The campaign does not count it, and keeps its state.',
    body: 'json',
    bodySchema: TEST_BODY,
    reply: TEST_REPLY,
    example: { user_ids: [DEMO_USER] },
    exampleFrom: NEWEST,
    refusals: [...DOCUMENT_REFUSALS, 'profile_not_found', 'subscription_not_found'],
    rateLimit: 'push',
    isIdempotent: true,
    handler: testCampaign,
  },
  {
    ...actionRoute('launch', {
      summary: 'Launch a campaign',
      description:
        'Nothing leaves before its time, and before its undo window is over. Until then it can be changed and cancelled.',
      handler: launchOneCampaign,
    }),
    scopes: ['push', 'draft'],
    querySchema: LAUNCH_QUERY,
    refusals: LAUNCH_REFUSALS,
    rateLimit: 'push',
    lane: 'sends',
    isIdempotent: true,
  },
  {
    ...actionRoute('approve', {
      summary: 'Approve a campaign',
      description:
        'Launches a campaign that awaits approval. The key that asked cannot approve. With ?version only this version.',
      handler: approveCampaign,
    }),
    scopes: ['approve', 'consent'],
    querySchema: LAUNCH_QUERY,
    refusals: [...LAUNCH_REFUSALS, 'approval_own'],
    lane: 'sends',
  },
  {
    ...actionRoute('refuse', {
      summary: 'Refuse a campaign',
      description: 'A campaign that awaits approval is a draft again. The key that asked cannot refuse.',
      handler: refuseCampaign,
    }),
    scopes: ['approve', 'consent'],
    querySchema: LAUNCH_QUERY,
    refusals: ['campaign_not_found', 'campaign_state', 'campaign_version', 'approval_own'],
  },
  actionRoute('cancel', {
    summary: 'Cancel a campaign',
    description:
      'In any state before it is sent. Messages that a push service already has cannot be taken back.',
    handler: cancelCampaign,
  }),
  actionRoute('archive', {
    summary: 'Archive a campaign',
    description:
      'An archived campaign is not listed and cannot be launched. A campaign that may still send cannot be archived.',
    handler: archiveOneCampaign,
  }),
  {
    ...READ,
    path: `${ONE_PATH}/results`,
    summary: 'Read the results of a campaign',
    description:
      'Clicks, and the goal in two figures that are not to be mixed: attributed events, and the uplift against people who got nothing. docs/campaigns.md explains both.',
    reply: Type.Object({ results: CAMPAIGN_RESULTS }),
    refusals: ['campaign_not_found'],
    handler: readCampaignResults,
  },
  {
    ...READ,
    path: `${ONE_PATH}/deliveries`,
    summary: 'List the deliveries of a campaign',
    description:
      'The devices that were tried, on all platforms, without test sends: the rows behind the counts of the campaign. With `per=person` one row for each person reached.',
    querySchema: CAMPAIGN_DELIVERY_QUERY,
    reply: CAMPAIGN_DELIVERY_PAGE,
    refusals: ['campaign_not_found'],
    handler: readCampaignDeliveries,
  },
  {
    ...READ,
    path: `${ONE_PATH}/people`,
    summary: 'List the people behind the results of a campaign',
    description:
      'The people of a campaign with a goal, variants or a holdout, each with their group, their variant, their click and their goal events. Campaigns without these keep no such list, and rows are deleted with the other details of a campaign that is long over.',
    querySchema: CAMPAIGN_PEOPLE_QUERY,
    reply: Type.Object({ people: Type.Array(CAMPAIGN_PERSON), ...NEXT_CURSOR }),
    refusals: ['campaign_not_found'],
    handler: listPeopleOfCampaign,
  },
  {
    ...READ,
    scopes: ['push', 'draft'],
    path: `${ONE_PATH}/audience`,
    summary: 'List the devices or the people that a campaign would reach now',
    description:
      'The rows behind the numbers of a dry run: its devices and, with `per=person`, its people. People who are held out, opted out or over the cap are among them, as they are in these numbers.',
    querySchema: AUDIENCE_QUERY,
    reply: AUDIENCE_PAGE,
    refusals: DOCUMENT_REFUSALS,
    handler: readCampaignAudience,
  },
]

type Action = Pick<TenantRoute, 'summary' | 'handler'> & { readonly description: string }

function actionRoute(action: string, { summary, description, handler }: Action): TenantRoute {
  return {
    ...FACTS,
    method: 'POST',
    path: `${ONE_PATH}/${action}`,
    summary,
    description,
    body: 'none',
    reply: ONE,
    exampleFrom: NEWEST,
    refusals: ['campaign_not_found', 'campaign_state'],
    handler,
  }
}
