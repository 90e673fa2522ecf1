import type { Log } from '../core/log.ts'
import type { RateWindows } from '../core/rate-windows.ts'
import type { Secrets } from '../core/secrets.ts'
import type { WordSearch } from '../core/word-search.ts'
import type { Database } from '../db/database.ts'
import type { Live } from '../db/live.ts'
import type { Dialects } from '../dialects/dialects.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { PriceTable } from '../ledger/price.ts'
import type { Registry } from '../providers/registry.ts'
import type { CallerLookup } from './request/find-caller.ts'
import type { ChannelDirectory } from './routing/channel-directory.ts'
import type { ChannelHealth } from './routing/channel-health.ts'
import type { Affinity } from './routing/session-affinity.ts'
import type { Watch } from './telemetry/observer.ts'
import type { Tracing } from './telemetry/trace-context.ts'
import type { Credentials } from './upstream/credentials.ts'
import type { Egress } from './upstream/safe-fetch.ts'
import type { Connect, Send } from './upstream/send.ts'
import type { RelayTimeouts } from './upstream/timeouts.ts'

/** What the pipeline works with. Made once, by main.ts. */
export interface RelayContext {
  readonly db: Database
  readonly ledger: Ledger
  readonly callers: CallerLookup
  readonly registry: Registry
  readonly dialects: Dialects
  readonly secrets: Secrets
  readonly log: Log
  readonly channels: Live<ChannelDirectory>
  readonly health: ChannelHealth
  readonly affinity: Affinity
  readonly settings: { current(): RelaySettings }
  readonly send: Send
  readonly connect: Connect
  /** For addresses of clients' and vendors' choosing: pictures. */
  readonly egress: Egress
  readonly credentials: Credentials
  readonly timeouts: RelayTimeouts
  readonly rateWindows: RateWindows
  readonly watch: Watch
  /** Undefined while nobody asked for traces. */
  readonly tracing: Tracing | undefined
  /** Tells the super administrator that a channel was taken out of routing. Nobody waits for it. */
  readonly tellChannelDisabled: (channel: { id: number; name: string }, reason: string) => void
}

/** How many model requests a user may make in a stretch of time. */
export interface RequestRate {
  readonly windowMs: number
  /** Of any outcome; 0: as many as they like. */
  readonly requests: number
  /** That succeed. */
  readonly successes: number
}

/** The system options that the relay follows, as they stand now. */
export interface RelaySettings {
  /** Further attempts after the first. */
  readonly retryTimes: number
  /** Tokens of output that a hold covers when the client gives no limit. */
  readonly preConsumedTokens: number
  readonly prices: PriceTable
  /** Groups that any user may choose, with their descriptions. */
  readonly userUsableGroups: Readonly<Record<string, string>>
  /** How clients that ask for a balance are answered. */
  readonly balances: {
    /** Of the token, not of its owner. */
    readonly isOfToken: boolean
    /** Units that are told as one. */
    readonly unitsShownAsOne: number
  }
  /** Undefined: prompts are not searched. */
  readonly sensitiveWords: WordSearch | undefined
  /** Undefined while the requests of a user are not limited. */
  readonly requestRate: RequestRate | undefined
  /** Requests of one user that may be under way at once; 0: no limit. */
  readonly userConcurrency: number
  readonly tasks: TaskSettings
  readonly isAutomaticDisableEnabled: boolean
  /** In lower case. */
  readonly automaticDisableKeywords: readonly string[]
}

/** What of the options drawing and music follow. */
export interface TaskSettings {
  readonly isDrawingOpen: boolean
  readonly isMusicOpen: boolean
  /** The vendor may call back: the client's own address is passed on, else it is given one of ours. */
  readonly isCallbackWanted: boolean
  readonly isAccountFilterPassedOn: boolean
  /** `--fast`, `--relax` and `--turbo` are taken out of prompts. */
  readonly areModesCleared: boolean
  readonly arePicturesForwarded: boolean
  /** A picture must be finished before it is worked on. */
  readonly mustOriginBeFinished: boolean
  /** The public address of this installation, without a trailing slash; empty when it is not known. */
  readonly serverAddress: string
}
