import type { Database } from '../db/database.ts'
import type { Live } from '../db/live.ts'
import type { Dialects } from '../dialects/dialects.ts'
import type { Log } from '../kernel/log.ts'
import type { RateWindows } from '../kernel/rate-windows.ts'
import type { Secrets } from '../kernel/secrets.ts'
import type { WordSearch } from '../kernel/word-search.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { PriceTable } from '../ledger/price.ts'
import type { Registry } from '../providers/registry.ts'
import type { CallerLookup } from './caller-lookup.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import type { Credentials } from './credentials.ts'
import type { Egress } from './egress.ts'
import type { Affinity } from './routing/affinity.ts'
import type { ChannelHealth } from './routing/channel-health.ts'
import type { Tracing } from './seeing/trace-context.ts'
import type { Watch } from './seeing/watch.ts'
import type { Connect, Send } from './send.ts'
import type { RelayTimeouts } from './timeouts.ts'

/** What the pipeline works with. Made once, by main.ts. */
export interface Gateway {
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
