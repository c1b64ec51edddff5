import { randomBytes } from 'node:crypto'
import { fault } from '../../domain/fault.ts'
import type { BundleFile, PageBundle } from '../../runtime/page-bundle.ts'
import type { Deps } from '../deps.ts'
import { html } from '../reference/html.ts'
import { type Reply, type ReplyHeaders, refuse, replyText } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import type { OpenRoute, Route } from '../route.ts'

/** GET / and the addresses of every page below it: one document, whose script shows the page of its address. */
async function showDashboard({ loadDashboard, team, sandbox }: Deps): Promise<Reply> {
  const bundle = await loadDashboard()
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const facts = { nonce, hasOidc: team.oidc !== null, hasSandbox: await sandbox.isPresent() }
  return replyText(renderShell(bundle, facts), HTML_TYPE, {
    'cache-control': 'no-cache',
    'content-security-policy': policyOf(nonce),
    'referrer-policy': 'same-origin',
  })
}

const NONCE_BYTES = 18
const HTML_TYPE = 'text/html; charset=utf-8'

/** Pictures of messages are https addresses of anybody; everything else is our own. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

type ShellFacts = {
  readonly nonce: string
  /** Whether the sign-in offers the identity provider of the company. */
  readonly hasOidc: boolean
  /** Whether there can be virtual devices. */
  readonly hasSandbox: boolean
}

/** The component library writes style elements, which need the nonce; the script reads it from its own element. */
function renderShell(
  { script, imports, styles }: PageBundle,
  { nonce, hasOidc, hasSandbox }: ShellFacts,
): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Beckon</title>
${hasOidc ? html`<meta name="beckon-oidc" content="on">` : ''}
${hasSandbox ? html`<meta name="beckon-sandbox" content="on">` : ''}
<link rel="icon" href="data:,">
${styles.map((name) => html`<link rel="stylesheet" href="${ASSETS}${name}">`)}
${imports.map((name) => html`<link rel="modulepreload" href="${ASSETS}${name}">`)}
<script type="module" src="${ASSETS}${script}" nonce="${nonce}"></script>
</head>
<body><div id="root"></div><noscript>The dashboard needs JavaScript. The API does not: see /docs.</noscript></body>
</html>`
  return page.markup
}

const ASSETS = '/dashboard/'

/** GET /dashboard/{file}: a file has the hash of its content in its name, so it may be kept for ever. */
async function sendFile({ loadDashboard }: Deps, { params, headers }: OpenRequest): Promise<Reply> {
  const { file = '' } = params
  const found = (await loadDashboard()).files.get(file)
  if (found === undefined) return refuse({ faults: [fault('not_found')] })
  const { bytes, encoding } = chooseEncoding(found, String(headers['accept-encoding'] ?? ''))
  return {
    status: 200,
    body: once(bytes),
    headers: {
      'content-type': TYPES[file.slice(file.lastIndexOf('.'))] ?? 'application/octet-stream',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...encoding,
    },
  }
}

const TYPES: ReplyHeaders = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

type Encoded = { readonly bytes: Uint8Array; readonly encoding: ReplyHeaders }

function chooseEncoding({ plain, gzip, brotli }: BundleFile, accepted: string): Encoded {
  if (/\bbr\b/.test(accepted)) return { bytes: brotli, encoding: { 'content-encoding': 'br' } }
  if (/\bgzip\b/.test(accepted)) return { bytes: gzip, encoding: { 'content-encoding': 'gzip' } }
  return { bytes: plain, encoding: {} }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The pages by the first word of their address (`web/dashboard/router.tsx` has the same list). */
const PAGES = [
  'sign-in',
  'compose',
  'messages',
  'templates',
  'people',
  'segments',
  'journeys',
  'events',
  'devices',
  'settings',
] as const

const ROW = { method: 'GET', group: 'Reference', scopes: null, body: 'none' } as const
const PAGE_ROW = { ...ROW, summary: 'A page of the dashboard', replyType: HTML_TYPE, handler: showDashboard }

export const DASHBOARD_ROUTES: readonly Route[] = [
  { ...PAGE_ROW, path: '/' },
  ...PAGES.flatMap((page): readonly OpenRoute[] => [
    { ...PAGE_ROW, path: `/${page}` },
    { ...PAGE_ROW, path: `/${page}/*` },
  ]),
  {
    ...ROW,
    path: '/dashboard/{file}',
    summary: 'A file of the dashboard',
    replyType: ['text/javascript', 'text/css', 'font/woff2'],
    handler: sendFile,
  },
]
