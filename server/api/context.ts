import type { BackupState } from '#features/backups/contract.ts'
import type { FetchPriceFeed } from '#features/price-updates/server/fetch-feed.ts'
import type { Repricing } from '#features/repricing/server/repricing.ts'
import type { Secrets } from '../core/crypto.ts'
import type { BothLanguages, Language, LocalizedMessage } from '../core/language.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { RoutingChannelRow } from '../db/channels/channels.ts'
import type { Database } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import type { Readers } from '../db/readers/readers.ts'
import type { ProviderEndpoints } from '../http-client/provider-request.ts'
import type { Send } from '../http-client/send.ts'
import type { FetchLatestRelease } from '../integrations/release-feed.ts'
import type { Mailer } from '../notifications/mailer.ts'
import type { SendNotification } from '../notifications/send-notification.ts'
import type { Registry } from '../providers/registry.ts'
import type { Settings } from '../settings/settings.ts'
import type { ChannelRun, LogDeletion } from './background-runs.ts'

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
  readonly channelNotifier: ChannelStatusNotifier
  readonly fetchLatestRelease: FetchLatestRelease
  readonly fetchPriceFeed: FetchPriceFeed
  readonly channelTester: ChannelTester
  readonly previewRoute: PreviewRoute
  readonly channelTests: ChannelRun
  readonly balanceUpdates: ChannelRun
  readonly logDeletion: LogDeletion
  readonly repricing: Repricing
  readonly backups: ApiBackups
  readonly installation: Installation
  /** Addresses of proxies that `TRUSTED_PROXIES` does not name, as this process has seen them. */
  readonly listUnnamedProxies: () => readonly string[]
}

/** Backups on this machine. */
export interface ApiBackups {
  state(): BackupState
  /** Begins a backup. Returns false when there is no folder for it, or one is being made. */
  start(): boolean
}

/** Where a request would be sent, without sending it. */
export interface ApiRoutePreview {
  /** In the order in which they are tried. */
  readonly candidates: readonly ApiRouteCandidate[]
  /** Channels tried at most for one request. */
  readonly attemptsMax: number
  /** Why the request would be rejected. */
  readonly error?: { readonly code: string } & LocalizedMessage
}

interface ApiRouteCandidate {
  readonly channelId: number
  readonly channelName: string
  readonly maxInputTokens: number
  readonly priority: number
  readonly weight: number
  /** Probability, from 0 to 1, that this channel is tried first. */
  readonly chance: number
  readonly upstreamModel: string
  readonly skipReason?: string
}

/** Finds the channels for a group and a model without sending a request. */
export type PreviewRoute = (request: {
  readonly group: string
  readonly model: string
}) => Promise<ApiRoutePreview>

/** Notifies the super administrator of automatic status changes. Returns at once; sending continues in the background. */
export interface ChannelStatusNotifier {
  channelDisabled(channel: { readonly id: number; readonly name: string }, reason: BothLanguages): void
  channelEnabled(channel: { readonly id: number; readonly name: string }): void
}

export interface Installation {
  readonly version: string
  /** Unix seconds. */
  readonly startedAt: number
}

/** Sends a small request through one channel, the way relayed requests go. An upstream failure is a result, not an error. */
export interface ChannelTester {
  testChannel(channelId: number, options: ChannelTestOptions): Promise<ChannelTestOutcome>
  /** Tests a channel that is not stored, so its key is passed in plain text. */
  testUnsaved(
    channel: UnsavedChannelRow,
    key: string,
    options: ChannelTestOptions,
  ): Promise<ChannelTestOutcome>
  /** Finds out how an upstream counts. An empty model is chosen as for a test. Throws GatewayError when a request fails. */
  probeUsage(channelId: number, model: string): Promise<ApiUsageProbe>
}

export interface ApiUsageProbe {
  readonly model: string
  readonly requests: readonly {
    readonly prompt: number
    readonly cached: number
    readonly completion: number
    readonly reasoning: number
  }[]
  readonly findings: {
    readonly cached_tokens?: 'included' | 'separate'
    readonly reasoning_tokens?: 'included' | 'separate'
    readonly usage_multiplier?: number
  }
}

export interface ChannelTestOptions {
  /** When empty, the channel's test model or else its first model is used. */
  readonly model: string
  /** Requests a stream and reads it to the end. */
  readonly isStream: boolean
}

export type UnsavedChannelRow = Omit<RoutingChannelRow, 'key_sealed'>

export interface ChannelTestOutcome {
  readonly ok: boolean
  /** Why the test failed; empty when it passed. */
  readonly message: BothLanguages
  readonly timeMs: number
  /** The provider no longer accepts the key, which is a reason to disable the channel. */
  readonly isKeyRevoked?: boolean
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
  /** Unix seconds of the last sign-in or reauthentication; 0 for calls without a session, as with an access token. */
  readonly authenticatedAt: number
  /** Signs the user in: replaces the current session and sets the cookie, in the given transaction if there is one. */
  open(userId: number, tx?: Database): Promise<void>
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
  /** Records that the caller has just proved to be present. */
  confirm(): Promise<void>
}

/** The user who calls the management API, read from the database with each request. */
export interface ApiCaller {
  /** 0 for a visitor. */
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
}

export const VISITOR: ApiCaller = { id: 0, username: '', role: 0, group: '' }
