// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
import type { Success } from './envelope.ts'

export type Channel = {
  readonly platform: string
  /** `sandbox`: the simulator of this machine is used, and no real device is reached. */
  readonly credentials: 'own' | 'sandbox' | 'none'
  readonly project_id?: string
  readonly client_email?: string
  readonly key_id?: string
  readonly team_id?: string
  readonly bundle_id?: string
  readonly environment?: string
  readonly subject?: string
  readonly public_key?: string
  readonly old_public_keys?: readonly string[]
  readonly updated_at: string | null
  readonly health: Health
}

export type Health = {
  /** `partial`: some push services are reached. `failing`: no message is accepted at present, and each is tried again. `paused`: messages wait until the channel works again. `unable`: messages fail. */
  readonly state: State
  /** Why the state is not `ok`. */
  readonly reason: string | null
  readonly since: string | null
  readonly retry_at: string | null
  /** The next step of whoever mends it. */
  readonly advice: string | null
  /** Push services that turned messages away in the last week, at most 20. */
  readonly refused_hosts: readonly RefusedHost[]
}

export type State = 'ok' | 'partial' | 'failing' | 'paused' | 'unable'

export type RefusedHost = {
  readonly host: string
  readonly reason: string
  readonly since: string
  readonly last_at: string
}

export type Verdict = 'accepted' | 'gone' | 'refused' | 'retry' | 'paused' | 'unknown'

export type ChannelsApi = {
  /** List channels and their state */
  readonly 'GET /api/v1/brand/channels': {
    readonly reply: Success & {
      readonly channels: readonly Channel[]
    }
  }
  /** Read the android channel and its state */
  readonly 'GET /api/v1/brand/channels/android': {
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Set the credentials of the android channel */
  readonly 'PUT /api/v1/brand/channels/android': {
    readonly body: {
      readonly service_account: {
        readonly type?: string
        readonly private_key_id?: string
        readonly client_id?: string
        readonly auth_uri?: string
        readonly token_uri?: string
        readonly auth_provider_x509_cert_url?: string
        readonly client_x509_cert_url?: string
        readonly universe_domain?: string
        /** The Firebase project. */
        readonly project_id: string
        /** The e-mail address of the service account. */
        readonly client_email: string
        /** Its RSA key, in PEM. */
        readonly private_key: string
      }
    }
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Remove the credentials of the android channel */
  readonly 'DELETE /api/v1/brand/channels/android': {
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Send a test through the android channel */
  readonly 'POST /api/v1/brand/channels/android/test': {
    readonly body: {
      /** The subscription to send to. */
      readonly subscription_id: string
      readonly title?: string
      readonly message?: string
    }
    readonly reply: Success & {
      readonly test: {
        readonly verdict: Verdict
        /** The reason, as the provider names it. */
        readonly reason: string | null
      }
    }
  }
  /** Say what the brake of the android channel held back */
  readonly 'POST /api/v1/brand/channels/android/brake': {
    readonly body: {
      /** `restore`: the devices are fine, and what was wrong is mended. `retire`: the devices are really dead. */
      readonly action: 'restore' | 'retire'
      /** `restore` makes devices live again that were retired in the last so many hours; 24 if absent. */
      readonly hours?: number
    }
    readonly reply: Success & {
      /** How many devices became live again. */
      readonly restored: number
    }
  }
  /** Read the ios channel and its state */
  readonly 'GET /api/v1/brand/channels/ios': {
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Set the credentials of the ios channel */
  readonly 'PUT /api/v1/brand/channels/ios': {
    readonly body: {
      /** The text of the .p8 file from Apple. */
      readonly key_p8: string
      /** Ten capitals and digits. */
      readonly key_id: string
      /** Ten capitals and digits. */
      readonly team_id: string
      /** The id of the app: letters, digits, dots and dashes. */
      readonly bundle_id: string
      /** The environment of devices that do not name theirs. */
      readonly environment?: 'production' | 'sandbox'
    }
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Remove the credentials of the ios channel */
  readonly 'DELETE /api/v1/brand/channels/ios': {
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Send a test through the ios channel */
  readonly 'POST /api/v1/brand/channels/ios/test': {
    readonly body: {
      /** The subscription to send to. */
      readonly subscription_id: string
      readonly title?: string
      readonly message?: string
    }
    readonly reply: Success & {
      readonly test: {
        readonly verdict: Verdict
        /** The reason, as the provider names it. */
        readonly reason: string | null
      }
    }
  }
  /** Say what the brake of the ios channel held back */
  readonly 'POST /api/v1/brand/channels/ios/brake': {
    readonly body: {
      /** `restore`: the devices are fine, and what was wrong is mended. `retire`: the devices are really dead. */
      readonly action: 'restore' | 'retire'
      /** `restore` makes devices live again that were retired in the last so many hours; 24 if absent. */
      readonly hours?: number
    }
    readonly reply: Success & {
      /** How many devices became live again. */
      readonly restored: number
    }
  }
  /** Read the web channel and its state */
  readonly 'GET /api/v1/brand/channels/web': {
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Set the credentials of the web channel */
  readonly 'PUT /api/v1/brand/channels/web': {
    readonly body: {
      /** A contact for push services: mailto: or https:. */
      readonly subject?: string
      /** Your own VAPID key pair, in base64url. */
      readonly public_key?: string
      readonly private_key?: string
      /** True makes a new key pair for new subscriptions. */
      readonly rotate?: boolean
    }
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Remove the credentials of the web channel */
  readonly 'DELETE /api/v1/brand/channels/web': {
    readonly reply: Success & {
      readonly channel: Channel
    }
  }
  /** Send a test through the web channel */
  readonly 'POST /api/v1/brand/channels/web/test': {
    readonly body: {
      /** The subscription to send to. */
      readonly subscription_id: string
      readonly title?: string
      readonly message?: string
    }
    readonly reply: Success & {
      readonly test: {
        readonly verdict: Verdict
        /** The reason, as the provider names it. */
        readonly reason: string | null
      }
    }
  }
  /** Say what the brake of the web channel held back */
  readonly 'POST /api/v1/brand/channels/web/brake': {
    readonly body: {
      /** `restore`: the devices are fine, and what was wrong is mended. `retire`: the devices are really dead. */
      readonly action: 'restore' | 'retire'
      /** `restore` makes devices live again that were retired in the last so many hours; 24 if absent. */
      readonly hours?: number
    }
    readonly reply: Success & {
      /** How many devices became live again. */
      readonly restored: number
    }
  }
  /** Read the public VAPID key */
  readonly 'GET /api/v1/web-push-key': {
    readonly reply: Success & {
      readonly public_key: string
    }
  }
}
