import { type Reply, type ReplyHeaders, replyText } from '../reply.ts'
import type { OpenRoute, Route } from '../route.ts'
import { DEMO_LOGIN } from './demo-login.ts'
import type { DemoTexts } from './load-demo.ts'

/** A page of our own, so it may do what a site does: load our SDK, call us, and show notifications. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS: ReplyHeaders = { 'cache-control': 'no-cache', 'content-security-policy': POLICY }

/** The service worker file of a site: one line, under a path of its own, so that it serves no other page. */
const WORKER = "importScripts('/sw.js')\n"

const FILES = [
  { path: '/demo', summary: 'The demo shop', type: 'text/html', text: ({ page }: DemoTexts) => page },
  {
    path: '/demo/demo.css',
    summary: 'The style of the demo shop',
    type: 'text/css',
    text: ({ style }: DemoTexts) => style,
  },
  {
    path: '/demo/demo.js',
    summary: 'The script of the demo shop',
    type: 'text/javascript',
    text: ({ script }: DemoTexts) => script,
  },
  {
    path: '/demo/sw.js',
    summary: 'The service worker of the demo shop',
    type: 'text/javascript',
    text: () => WORKER,
  },
] as const

const FILE_ROUTES: readonly Route[] = FILES.map(({ path, summary, type, text }): OpenRoute => {
  const replyType = `${type}; charset=utf-8`
  return {
    method: 'GET',
    group: 'Reference',
    scopes: null,
    body: 'none',
    path,
    summary,
    replyType,
    handler: async ({ demo }): Promise<Reply> => replyText(text(demo), replyType, HEADERS),
  }
})

export const DEMO_ROUTES: readonly Route[] = [...FILE_ROUTES, DEMO_LOGIN]
