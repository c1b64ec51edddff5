// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Role } from './common.ts'

import type { Success } from './envelope.ts'

export type Member = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** Whether the member administers the whole Beckon. */
  readonly administrator: boolean
  /** Whether a password alone is not enough. */
  readonly two_factor: boolean
  /** `invited`: the member has not used the link of this brand yet, and sees nothing of it. */
  readonly state: 'invited' | 'active'
  readonly created_at: string
}

export type MembersApi = {
  /** Read who is signed in */
  readonly 'GET /api/v1/me': {
    readonly reply: Success & {
      readonly member: {
        readonly id: string
        readonly email: string
        readonly name: string
        readonly administrator: boolean
        readonly two_factor: boolean
        /** Whether the member is the first administrator and has not set an e-mail address and a password yet. */
        readonly is_placeholder: boolean
        readonly brands: readonly {
          readonly brand_id: string
          readonly name: string
          readonly role: Role
        }[]
      }
    }
  }
  /** List your sessions */
  readonly 'GET /api/v1/me/sessions': {
    readonly reply: Success & {
      readonly sessions: readonly {
        readonly id: string
        /** The browser, as it names itself. */
        readonly device: string | null
        readonly network: string | null
        /** Whether it is the session of this call. */
        readonly current: boolean
        readonly created_at: string
        readonly expires_at: string
      }[]
    }
  }
  /** End one of your sessions */
  readonly 'DELETE /api/v1/me/sessions/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success
  }
  /** List the members of the brand */
  readonly 'GET /api/v1/team/members': {
    readonly query?: {
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly members: readonly Member[]
      readonly next_cursor: string | null
    }
  }
  /** Invite a member */
  readonly 'POST /api/v1/team/members': {
    readonly body: {
      /** The e-mail address of the member. */
      readonly email: string
      /** The name of the member. */
      readonly name?: string
      /** The role in this brand. */
      readonly role: Role
    }
    readonly reply: Success & {
      readonly member: Member
      /** A one-time link. With it a member who is invited joins this brand: somebody new sets a password, and somebody with an account signs in first. A member of this brand alone sets a new password. Null for a reset of a member who is in other brands too, administers this Beckon, or signs in by the identity provider: then only the operator can make a link. */
      readonly link: {
        readonly url: string
        readonly expires_at: string
      } | null
      /** Whether the link was also mailed to the member. */
      readonly mailed: boolean
    }
  }
  /** Change the role of a member */
  readonly 'PATCH /api/v1/team/members/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly body: {
      /** The role in this brand. */
      readonly role: Role
    }
    readonly reply: Success & {
      readonly member: Member
    }
  }
  /** Remove a member from the brand */
  readonly 'DELETE /api/v1/team/members/{id}': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success
  }
  /** Make a new link for a member */
  readonly 'POST /api/v1/team/members/{id}/reset': {
    readonly path: {
      readonly id: string
    }
    readonly reply: Success & {
      readonly member: Member
      /** A one-time link. With it a member who is invited joins this brand: somebody new sets a password, and somebody with an account signs in first. A member of this brand alone sets a new password. Null for a reset of a member who is in other brands too, administers this Beckon, or signs in by the identity provider: then only the operator can make a link. */
      readonly link: {
        readonly url: string
        readonly expires_at: string
      } | null
      /** Whether the link was also mailed to the member. */
      readonly mailed: boolean
    }
  }
}
