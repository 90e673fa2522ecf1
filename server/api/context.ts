import type { AnyEndpoint } from '#contract/endpoint.ts'
import type { OrganizationRole } from '#contract/enums.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Language } from '../core/language.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { Database } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import type { Readers } from '../db/readers/readers.ts'
import type { ProviderEndpoints } from '../http-client/provider-request.ts'
import type { Send } from '../http-client/send.ts'
import type { Mailer } from '../notifications/mailer.ts'
import type { RootNotifier } from '../notifications/root-notifier.ts'
import type { SendNotification } from '../notifications/send-notification.ts'
import type { Registry } from '../providers/registry.ts'
import type { Settings } from '../settings/settings.ts'
import type { Events } from './events.ts'

/** Dependencies of the management API, created once at startup. */
export interface ApiDeps {
  readonly db: Database
  readonly readers: Pick<Readers, 'forCaller'>
  readonly engine: Engine
  readonly settings: Settings
  readonly registry: Registry
  readonly secrets: Secrets
  readonly log: Logger
  readonly send: Send
  readonly providerEndpoints: ProviderEndpoints
  readonly mailer: Mailer
  readonly rateLimiter: RateLimiter
  readonly sendNotification: SendNotification
  readonly rootNotifier: RootNotifier
  readonly installation: Installation
  readonly events: Events
  /** Addresses of proxies that `TRUSTED_PROXIES` does not name, as this process has seen them. */
  readonly listUnnamedProxies: () => readonly string[]
}

export interface Installation {
  readonly version: string
  /** Unix seconds. */
  readonly startedAt: number
}

/** The dependencies of the API together with the request that a handler serves. */
export interface ApiContext extends ApiDeps {
  readonly caller: ApiCaller
  /** For lists, searches, statistics and exports: all queries whose cost grows with the data. */
  readonly reader: Database
  readonly session: SessionControls
  readonly language: Language
  readonly clientIp: string
  /** The /24 or /56 network of the client, by which failed sign-ins are counted. */
  readonly network: string
  readonly requestId: string
  /** Tells the audit log which records are about to change, where the input does not name them. */
  willChange(ids: readonly number[]): Promise<void>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** A sign-in that was started at an identity provider and has not returned yet. */
export interface SignInState {
  /** Random text that ties the callback to this session (CSRF protection). */
  readonly state: string
  /** Invitation code of the inviter; empty without one. */
  readonly aff: string
}

/** The caller's own session. */
export interface SessionControls {
  /** False for visitors and for calls with an access token. */
  readonly exists: boolean
  /** A script of our own pages makes the call, as the browser says: no other site can, nor a link or a picture. */
  readonly isOwnScript: boolean
  /** Under which it is stored; undefined without one. */
  readonly idHash: string | undefined
  /** Unix seconds of the last sign-in or reauthentication; 0 for calls without a session, as with an access token. */
  readonly authenticatedAt: number
  /**
   * Signs the user in: replaces the current session and sets the cookie, in the given transaction if there is one. Throws
   * `auth.factor_required` while a second factor of the user is missing, and remembers that the rest was right.
   */
  open(userId: number, tx?: Database, factor?: 'given'): Promise<void>
  /** The user who has signed in as far as the second factor, within ten minutes. */
  findFirstStep(tx?: Database): Promise<number | undefined>
  /** Stores the state that the identity provider must send back. */
  saveSignInState(state: SignInState): Promise<void>
  /** Returns and deletes the stored state. Undefined when there is none or it has expired. */
  takeSignInState(): Promise<SignInState | undefined>
  /** Ends the session and clears the cookie. */
  close(): Promise<void>
  /** The id of this device, if it has signed in to the account before. */
  deviceOf(userId: number): string | undefined
  /** Remembers this device as one of the account's owner, as a sign-in does. */
  rememberDevice(userId: number): void
  /** Records that the caller has just proved to be present. Throws `auth.factor_required` where that takes a second factor. */
  confirm(factor?: 'given'): Promise<void>
}

/** The user who calls the management API, read from the database with each request. */
export interface ApiCaller {
  /** 0 for a visitor. */
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
  /** The name of the access token that makes the call; undefined of sessions, and of the token without a name. */
  readonly accessToken?: string
  readonly member?: ApiMember
}

/** The member who calls for an organisation, which is the caller then. */
export interface ApiMember {
  /** Of the membership. */
  readonly id: number
  readonly role: OrganizationRole
  /** Whether it acts on the tokens and logs of all members, not only its own. */
  readonly seesAll: boolean
  readonly userId: number
  readonly username: string
}

/** Who makes a call, which may name an organisation in its headers. */
export type ActFor = (
  person: ApiCaller,
  call: { readonly headers: Headers; readonly endpoint: AnyEndpoint },
) => Promise<ApiCaller>

export const VISITOR: ApiCaller = { id: 0, username: '', role: 0, group: '' }
