// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Shown } from './common.ts'
import type { Success } from './envelope.ts'

export type Template = {
  readonly template_id: number | bigint
  readonly name: string
  /** Grows by one with each change. */
  readonly version: number
  /** The content fields, as written. */
  readonly content: Readonly<Record<string, Json>>
  /** The platforms that the content was checked for. */
  readonly platforms: readonly ('android' | 'ios' | 'web')[]
  /** The snippets that the content renders. */
  readonly snippets: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at: string | null
}

export type Version = {
  readonly name: string
  /** Grows by one with each change. */
  readonly version: number
  /** The content fields, as written. */
  readonly content: Readonly<Record<string, Json>>
  /** The platforms that the content was checked for. */
  readonly platforms: readonly ('android' | 'ios' | 'web')[]
  /** The snippets that the content renders. */
  readonly snippets: readonly string[]
  readonly created_at: string
}

export type Android = {
  /** The message in the form of its push service; null if none is sent. */
  readonly payload: Json
  /** The same message in words, for a preview; null if nothing is shown. */
  readonly shown: Shown | null
  /** The language that is shown; null if the content has one language only. */
  readonly language: string | null
}

export type Snippet = {
  readonly name: string
  /** Grows by one with each change. */
  readonly version: number
  readonly text: string
  /** The snippets that its text renders itself. */
  readonly renders: readonly string[]
  readonly created_at: string
  readonly updated_at: string
}

export type TemplatesApi = {
  /** Create a template */
  readonly 'POST /api/v1/templates': {
    readonly body: {
      /** The name of the template, for people. */
      readonly name: string
      /** The content fields of a push: title, message, url and so on. Texts may hold Liquid. */
      readonly content: Readonly<Record<string, Json>>
      /** The platforms that the content must fit; all of them when absent. */
      readonly platforms?: readonly string[]
    }
    readonly reply: Success & {
      readonly template: Template
    }
  }
  /** List templates */
  readonly 'GET /api/v1/templates': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** True lists only archived ones. */
      readonly archived?: boolean
      /** A part of the name, in any case. */
      readonly text?: string
      /** Only those whose newest version renders this snippet itself. */
      readonly renders?: string
    }
    readonly reply: Success & {
      readonly templates: readonly Template[]
      readonly next_cursor: string | null
    }
  }
  /** Read a template */
  readonly 'GET /api/v1/templates/{template_id}': {
    readonly path: {
      readonly template_id: string
    }
    readonly reply: Success & {
      readonly template: Template
    }
  }
  /** Change a template */
  readonly 'PATCH /api/v1/templates/{template_id}': {
    readonly path: {
      readonly template_id: string
    }
    readonly body: {
      /** The version that you read. The change is refused if there is a newer one. */
      readonly version: (number | bigint) | string
      /** The name of the template, for people. */
      readonly name?: string
      /** The content fields of a push: title, message, url and so on. Texts may hold Liquid. */
      readonly content?: Readonly<Record<string, Json>>
      /** The platforms that the content must fit; all of them when absent. */
      readonly platforms?: readonly string[]
    }
    readonly reply: Success & {
      readonly template: Template
    }
  }
  /** List the versions of a template */
  readonly 'GET /api/v1/templates/{template_id}/versions': {
    readonly path: {
      readonly template_id: string
    }
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly versions: readonly Version[]
      readonly next_cursor: string | null
    }
  }
  /** Read a version of a template */
  readonly 'GET /api/v1/templates/{template_id}/versions/{version}': {
    readonly path: {
      readonly template_id: string
      readonly version: string
    }
    readonly reply: Success & {
      readonly version: Version
    }
  }
  /** Duplicate a template */
  readonly 'POST /api/v1/templates/{template_id}/duplicate': {
    readonly path: {
      readonly template_id: string
    }
    readonly body: {
      /** The name of the template, for people. */
      readonly name?: string
    }
    readonly reply: Success & {
      readonly template: Template
    }
  }
  /** Preview a template for a person */
  readonly 'POST /api/v1/templates/{template_id}/preview': {
    readonly path: {
      readonly template_id: string
    }
    readonly body: {
      /** The platform to render for. */
      readonly platform: 'android' | 'ios' | 'web'
      /** The user to notify, on all of their devices of this platform. */
      readonly user_id?: string
      /** The one subscription to notify. */
      readonly subscription_id?: string
      /** The version to render; the newest when absent. */
      readonly version?: (number | bigint) | string
    }
    readonly reply: Success & {
      readonly preview: {
        readonly template_id: number | bigint
        readonly version: number
        readonly platform: 'android' | 'ios' | 'web'
        /** The device that it was rendered for. */
        readonly subscription_id: string
        /** The language that the person gets; null if the template has one language only. */
        readonly language: string | null
        readonly title: string | null
        readonly message: string | null
        readonly url: string | null
        readonly buttons: readonly {
          readonly title: string
          readonly url: string | null
        }[]
        /** Texts that are too long for this person and are cut. */
        readonly texts_cut: number
        /** The message in the form of its push service; null if none is sent. */
        readonly payload: Json
      }
    }
  }
  /** Preview a content that is not saved */
  readonly 'POST /api/v1/templates/preview': {
    readonly body: {
      /** The content fields of a push: title, message, url and so on. Texts may hold Liquid. */
      readonly content: Readonly<Record<string, Json>>
      /** The platforms that the content must fit; all of them when absent. */
      readonly platforms?: readonly string[]
      /** The person whom it is rendered for; somebody with a device of the platform when absent. */
      readonly user_id?: string
      /** The language to render, one of those of the content; that of the person when absent. */
      readonly language?: string
    }
    readonly reply: Success & {
      readonly platforms: {
        readonly android?: Android
        readonly ios?: Android
        readonly web?: Android
      }
    }
  }
  /** Archive a template */
  readonly 'POST /api/v1/templates/{template_id}/archive': {
    readonly path: {
      readonly template_id: string
    }
    readonly reply: Success & {
      readonly template: Template
    }
  }
  /** Create a snippet */
  readonly 'POST /api/v1/snippets': {
    readonly body: {
      /** The name of the snippet: small letters, digits, - and _. */
      readonly name: string
      /** The text. It may hold Liquid, and render other snippets. */
      readonly text: string
    }
    readonly reply: Success & {
      readonly snippet: Snippet
    }
  }
  /** List snippets */
  readonly 'GET /api/v1/snippets': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
      /** A part of the name or of the text, in any case. */
      readonly text?: string
      /** Only those that render this snippet themselves. */
      readonly renders?: string
    }
    readonly reply: Success & {
      readonly snippets: readonly Snippet[]
      readonly next_cursor: string | null
    }
  }
  /** Read a snippet */
  readonly 'GET /api/v1/snippets/{name}': {
    readonly path: {
      readonly name: string
    }
    readonly reply: Success & {
      readonly snippet: Snippet
    }
  }
  /** Change a snippet */
  readonly 'PATCH /api/v1/snippets/{name}': {
    readonly path: {
      readonly name: string
    }
    readonly body: {
      /** The version that you read. The change is refused if there is a newer one. */
      readonly version: (number | bigint) | string
      /** The text. It may hold Liquid, and render other snippets. */
      readonly text: string
    }
    readonly reply: Success & {
      readonly snippet: Snippet
    }
  }
  /** Delete a snippet */
  readonly 'DELETE /api/v1/snippets/{name}': {
    readonly path: {
      readonly name: string
    }
    readonly reply: Success & Readonly<Record<string, Json>>
  }
}
