/** The events that the web SDK and the service worker log by themselves. None of them adds to a person's ltv. */
export const SYSTEM_EVENTS = {
  pageView: 'page_viewed',
  firstVisit: 'first_visit',
  sessionStart: 'session_started',
  sessionEnd: 'session_ended',
  scroll: 'page_scrolled',
  outboundClick: 'outbound_clicked',
  formSubmit: 'form_submitted',
  download: 'file_downloaded',
  promptShown: 'push_prompt_shown',
  promptAccepted: 'push_prompt_accepted',
  promptDenied: 'push_prompt_denied',
  promptBlocked: 'push_prompt_blocked',
  pushRegistered: 'push_registered',
  pushUnregistered: 'push_unregistered',
  pushReceived: 'push_received',
  pushClicked: 'push_clicked',
  pushDismissed: 'push_dismissed',
  pushButton: 'push_button_clicked',
} as const

export type SystemEvent = keyof typeof SYSTEM_EVENTS

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

/** When each event is logged, its attributes and its switch. A test holds docs/web-sdk.md to this table. */
export const SYSTEM_EVENT_ROWS: Readonly<Record<SystemEvent, SystemEventRow>> = {
  pageView: {
    switch: 'pageViews',
    attributes: ['title', 'path'],
    when: 'a page is shown, also by the router of a single-page app',
  },
  firstVisit: { switch: 'sessions', attributes: [], when: 'a browser visits the site for the first time' },
  sessionStart: {
    switch: 'sessions',
    attributes: ['session_id'],
    when: 'a visit begins: the first activity, or the first after 30 minutes without any',
  },
  sessionEnd: {
    switch: 'sessions',
    attributes: ['session_id', 'duration_seconds'],
    when: 'the next session begins; its time is the last activity of the ended session',
  },
  scroll: {
    switch: 'scroll',
    attributes: ['percent', 'path'],
    when: 'a page is scrolled to 25, 50, 75 and 100 percent, each once',
  },
  outboundClick: { switch: 'clicks', attributes: ['url'], when: 'a link to another host is followed' },
  formSubmit: {
    switch: 'forms',
    attributes: ['form_id', 'form_name', 'path'],
    when: 'a form is submitted; the content of its fields is never logged',
  },
  download: { switch: 'downloads', attributes: ['url', 'file'], when: 'a link to a file is followed' },
  promptShown: { switch: 'push', attributes: ['prompt'], when: 'the visitor is asked about pushes' },
  promptAccepted: { switch: 'push', attributes: ['prompt'], when: 'the visitor accepts' },
  promptDenied: {
    switch: 'push',
    attributes: ['prompt'],
    when: 'the visitor declines, or closes the question',
  },
  promptBlocked: { switch: 'push', attributes: [], when: 'the browser does not allow asking again' },
  pushRegistered: { switch: 'push', attributes: [], when: 'the browser has a new push subscription' },
  pushUnregistered: { switch: 'push', attributes: [], when: 'the browser gave up its push subscription' },
  pushReceived: { switch: 'push', attributes: ['delivery_id'], when: 'a push is shown' },
  pushClicked: { switch: 'push', attributes: ['delivery_id'], when: 'a push is clicked' },
  pushDismissed: { switch: 'push', attributes: ['delivery_id'], when: 'a push is closed' },
  pushButton: {
    switch: 'push',
    attributes: ['delivery_id', 'button'],
    when: 'a button of a push is clicked',
  },
}
