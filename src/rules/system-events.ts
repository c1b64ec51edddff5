/** The parts of `init({ track })`: each can be turned off by itself. */
export const TRACK_SWITCHES = [
  'pageViews',
  'sessions',
  'scroll',
  'clicks',
  'forms',
  'downloads',
  'push',
] as const

export type TrackSwitch = (typeof TRACK_SWITCHES)[number]

type SystemEventRow = {
  readonly switch: TrackSwitch
  readonly attributes: readonly string[]
  /** "Logged when …". */
  readonly when: string
}

/**
 * The events that the web SDK and the service worker log by themselves: when, with which attributes and by which switch.
 * None of them adds to a person's ltv. A test holds docs/web-sdk.md to this table.
 */
export const SYSTEM_EVENTS = {
  page_viewed: {
    switch: 'pageViews',
    attributes: ['title', 'path'],
    when: 'a page is shown, also by the router of a single-page app',
  },
  first_visit: { switch: 'sessions', attributes: [], when: 'a browser visits the site for the first time' },
  session_started: {
    switch: 'sessions',
    attributes: ['session_id'],
    when: 'a visit begins: the first activity, or the first after 30 minutes without any',
  },
  session_ended: {
    switch: 'sessions',
    attributes: ['session_id', 'duration_seconds'],
    when: 'the next session begins; its time is the last activity of the ended session',
  },
  page_scrolled: {
    switch: 'scroll',
    attributes: ['percent', 'path'],
    when: 'a page is scrolled to 25, 50, 75 and 100 percent, each once',
  },
  outbound_clicked: { switch: 'clicks', attributes: ['url'], when: 'a link to another host is followed' },
  form_submitted: {
    switch: 'forms',
    attributes: ['form_id', 'form_name', 'path'],
    when: 'a form is submitted; the content of its fields is never logged',
  },
  file_downloaded: { switch: 'downloads', attributes: ['url', 'file'], when: 'a link to a file is followed' },
  push_prompt_shown: { switch: 'push', attributes: ['prompt'], when: 'the visitor is asked about pushes' },
  push_prompt_accepted: { switch: 'push', attributes: ['prompt'], when: 'the visitor accepts' },
  push_prompt_denied: {
    switch: 'push',
    attributes: ['prompt'],
    when: 'the visitor declines, or closes the question',
  },
  push_prompt_blocked: { switch: 'push', attributes: [], when: 'the browser does not allow asking again' },
  push_registered: { switch: 'push', attributes: [], when: 'the browser has a new push subscription' },
  push_unregistered: { switch: 'push', attributes: [], when: 'the browser gave up its push subscription' },
  push_received: { switch: 'push', attributes: ['delivery_id'], when: 'a push is shown' },
  push_clicked: { switch: 'push', attributes: ['delivery_id'], when: 'a push is clicked' },
  push_dismissed: { switch: 'push', attributes: ['delivery_id'], when: 'a push is closed' },
  push_button_clicked: {
    switch: 'push',
    attributes: ['delivery_id', 'button'],
    when: 'a button of a push is clicked',
  },
} as const satisfies Readonly<Record<string, SystemEventRow>>

export type SystemEvent = keyof typeof SYSTEM_EVENTS
