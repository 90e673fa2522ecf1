import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { Language } from '../core/api-error.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'
import type { RoutingChannelRow } from '../db/channels/channels.ts'
import type { Mailer } from '../integrations/mailer.ts'
import type { Parties } from '../integrations/parties.ts'
import type { AskRelease } from '../integrations/release-feed.ts'
import type { SendNotice } from '../integrations/send-notice.ts'
import type { Registry } from '../providers/registry.ts'
import type { Send } from '../relay/upstream/send.ts'
import type { ChannelRun, LogDeletion } from './channel-run.ts'
import type { Settings } from './settings.ts'

/** What the whole management API works with. Made once. */
export interface ApiDeps {
  readonly db: Database
  readonly engine: Engine
  readonly settings: Settings
  readonly registry: Registry
  readonly secrets: Secrets
  readonly log: Logger
  readonly send: Send
  readonly parties: Parties
  readonly mailer: Mailer
  readonly rateLimiter: RateLimiter
  readonly sendNotice: SendNotice
  readonly rootNotices: ChannelStatusNotifier
  readonly askRelease: AskRelease
  readonly channelTester: ChannelTester
  readonly previewRoute: PreviewRoute
  readonly channelTests: ChannelRun
  readonly balanceUpdates: ChannelRun
  readonly logDeletion: LogDeletion
  readonly installation: Installation
}

/** What would happen to a request, without sending it. */
export interface ApiRoutePreview {
  /** In the order of trial. */
  readonly candidates: readonly ApiRouteCandidate[]
  /** Channels that may be tried for one request. */
  readonly channelsTried: number
  /** Why nothing would be asked. */
  readonly refusal?: { readonly code: string; readonly message: string }
}

interface ApiRouteCandidate {
  readonly channelId: number
  readonly channelName: string
  readonly priority: number
  readonly weight: number
  /** 0 to 1: the chance to be asked first. */
  readonly chance: number
  readonly upstreamModel: string
  readonly skipReason?: string
}

/** Which channels a request would be sent to, without sending it. */
export type PreviewRoute = (wanted: {
  readonly group: string
  readonly model: string
}) => Promise<ApiRoutePreview>

/** Tells the super administrator what the gateway did by itself. Nobody waits for it. */
export interface ChannelStatusNotifier {
  channelDisabled(channel: { readonly id: number; readonly name: string }, reason: string): void
  channelEnabled(channel: { readonly id: number; readonly name: string }): void
}

export interface Installation {
  readonly version: string
  /** Unix seconds. */
  readonly startedAt: number
}

/** Sends a small request through one channel, the way callers' requests go. Never throws for the upstream's sake. */
export interface ChannelTester {
  testChannel(channelId: number, wanted: ChannelTestOptions): Promise<ChannelTestOutcome>
  /** A channel that is not stored: its key is not sealed yet. */
  testUnsaved(channel: UnsavedChannelRow, key: string, wanted: ChannelTestOptions): Promise<ChannelTestOutcome>
}

export interface ChannelTestOptions {
  /** Empty: the channel's test model, else its first. */
  readonly model: string
  /** Asks for a stream and reads it to its end. */
  readonly isStream: boolean
}

export type UnsavedChannelRow = Omit<RoutingChannelRow, 'key_sealed'>

export interface ChannelTestOutcome {
  readonly ok: boolean
  /** Why it failed; empty when it did not. */
  readonly message: string
  readonly timeMs: number
  /** The failure means that the key is dead: reason to disable the channel. */
  readonly isKeyDead?: boolean
}

/** What a handler knows of one request. */
export interface ApiContext extends ApiDeps {
  readonly caller: ApiCaller
  readonly session: SessionControls
  readonly language: Language
  readonly clientIp: string
  readonly requestId: string
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
}

/** A sign-in under way at another party. */
export interface SignInState {
  /** What ties it to this session. */
  readonly state: string
  /** The code of whoever invited them; empty for none. */
  readonly aff: string
}

/** The caller's own session. */
export interface SessionControls {
  /** Unix seconds of the last proof of identity; 0 without a session, as with an access token. */
  readonly authenticatedAt: number
  /** Signs the user in: makes a session in place of the one there was and sends its cookie. */
  open(userId: number): Promise<void>
  /** Keeps what a sign-in at another party must come back with. */
  keepState(state: SignInState): Promise<void>
  /** Gives what was kept, once. Undefined when there is nothing, or it is too old. */
  takeState(): Promise<SignInState | undefined>
  /** Ends the session and takes the cookie back. */
  close(): Promise<void>
  /** Ends all other sessions of the caller. */
  closeOthers(): Promise<void>
}

/** Who calls the management API, as stored at this moment. */
export interface ApiCaller {
  /** 0 for a visitor. */
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
}

export const VISITOR: ApiCaller = { id: 0, username: '', role: 0, group: '' }
