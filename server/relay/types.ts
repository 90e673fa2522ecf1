import type { OptionValues } from '#contract/options/system-options.ts'
import type { CancelSignal } from '../core/cancel-signal.ts'
import type { GatewayError, ModelBend } from '../core/errors.ts'
import type { Language } from '../core/language.ts'
import type { Usage } from '../core/usage.ts'
import type { UpstreamSocket } from '../http-client/websocket.ts'
import type { BudgetSubject } from '../ledger/ledger-command.ts'
import type { GroupPrice } from '../pricing/price.ts'
import type { PriceBook } from '../pricing/price-book.ts'
import type { ChatChunk } from '../provider-kit/contract/chat.ts'
import type {
  ClientDialect,
  ParsedBody,
  RawResponseBody,
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
  UrlParams,
} from '../provider-kit/contract/client-dialect.ts'
import type { HostedToolName } from '../provider-kit/contract/hosted-tool.ts'
import type {
  AccountHandles,
  DialectName,
  OperationAdapter,
} from '../provider-kit/contract/operation-adapter.ts'
import type { Provider } from '../provider-kit/contract/provider.ts'
import type { RequestedTerms } from '../provider-kit/hosted-tools.ts'
import type { JsonObject } from '../provider-kit/json.ts'
import type { UsageCheck } from '../provider-kit/openai-realtime/realtime.ts'
import type { ClientConnection, SocketListener } from './request/client-connection.ts'

/** The authenticated caller of one request. */
export interface Caller {
  readonly userId: number
  readonly username: string
  readonly role: number
  /** The group whose channels and price ratio this request uses. */
  readonly group: string
  /** Units in the wallet that no hold reserves. */
  readonly walletUnits: number
  /** There are budgets of the user or of one of the user's tokens. Unknown without a token. */
  readonly isBounded?: boolean
  /** Undefined in the console's playground, which spends from the wallet alone. */
  readonly token: CallerToken | undefined
  /** Of the playground's caller. */
  readonly sessionHash?: string
  /** The channel that an administrator chose through the API key. */
  readonly pinnedChannelId: number | undefined
}

/** Who made a call, for its log row. */
export interface CallOwner extends Pick<Caller, 'userId' | 'username' | 'group'> {
  readonly token: Pick<CallerToken, 'id' | 'name'> | undefined
}

/** What is removed from requests or refused, because providers charge more for it. */
export interface RequestPolicy {
  /** `service_tier`, and Claude's `speed`. */
  readonly serviceTier?: 'strip' | 'forbid' | undefined
  /** Tools that the provider runs. */
  readonly serverTools?: 'strip' | 'forbid' | undefined
}

export interface CallerToken {
  readonly id: number
  /** Whose budgets bound it beside its own and its user's. */
  readonly subjects: readonly BudgetSubject[]
  readonly name: string
  /** Whether the token has a quota of its own beside the wallet. */
  readonly isLimited: boolean
  /** The part of that quota that is used, from 0 to 1. */
  readonly usedShare?: number | undefined
  /** Limited to models or addresses: it reads nothing that other tokens stored. */
  readonly isRestricted: boolean
  /** The models that the token may use; undefined when it may use all of them. */
  readonly models: ReadonlySet<string> | undefined
  /** Concurrent requests; 0: no limit. */
  readonly concurrency: number
  /** 0: no limit. */
  readonly requestsPerMinute: number
  /** Undefined where the token lets everything through. */
  readonly policy: RequestPolicy | undefined
}

/** The position of a request in a distributed trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The request's own span; 16 hexadecimal digits. */
  readonly spanId: string
  /** The client's span; undefined when the trace starts here. */
  readonly parentId: string | undefined
  readonly isSampled: boolean
}

/** What every request has before its body is read. */
export interface RequestArrival {
  readonly requestId: string
  /** Monotonic time, as returned by `elapsedMs`. */
  readonly startedMs: number
  /** Undefined when tracing is off. */
  readonly traceContext: TraceContext | undefined
  /** The language of errors. */
  readonly language: Language
}

/** A call with a known caller and an unread body. */
export interface RelayCall {
  readonly httpRequest: Request
  readonly connection: ClientConnection
  readonly arrival: RequestArrival
  readonly caller: Caller
  readonly client: ClientDialect
  readonly params: PathParams
}

/** What a path names: the groups of its route's pattern, decoded. */
export type PathParams = Readonly<Record<string, string>>

/** How an operation ends: at once, since it calls no model; free; with its response; or later, as a task does. */
export type OperationEnd = 'lookup' | 'free' | 'now' | 'later'

/** A client's request after parsing. */
export interface RelayRequest extends ActiveRequest, ParsedRequest {
  /** The body as the client sent it, in its own dialect. */
  readonly clientBody: JsonObject
  /** As `ParsedJson.verbatim`. */
  readonly verbatimBody?: JsonObject
  /** The server tools that the caller's group or token does not let through. */
  readonly droppedTools?: readonly HostedToolName[]
  /** Fields of the client that no provider documents, left out of the body for a token with a list of models. */
  readonly leftOut?: readonly string[]
  /** Adds what models thought before calls in the history, where its client did not send it back. */
  readonly addThoughts?: (body: JsonObject, reader: ThoughtReader) => JsonObject
  /** As `ParsedJson.isLarge`, of both bodies. */
  readonly isLarge: boolean
  /** The client's text has numbers that a double cannot hold. */
  readonly hasLongNumbers: boolean
}

/** The model of a provider that reads a request, or made a response. */
export interface ThoughtReader {
  readonly provider: Provider
  readonly adapter: AnyOperationAdapter
  readonly upstreamModel: string
}

/** A request whose body was dropped: prompts are long, and a stream must not keep them in memory. */
export interface ActiveRequest extends RequestArrival, Omit<ParsedRequest, 'body'> {
  readonly caller: Caller
  readonly operation: ModelOperation
  readonly client: ClientDialect
  readonly dialect: OperationDialect
  /** Client headers that a provider of the same dialect receives. */
  readonly forwardedHeaders: Readonly<Record<string, string>>
  /** Identifies the client's session; undefined when the client sends no mark of one. */
  readonly session: string | undefined
  /** Set when the request refers to what only the account that made it can read. */
  readonly boundAccount?: BoundAccount | undefined
  /** Set after the provider turned out not to support the client's dialect: the canonical format is used instead. */
  readonly avoidsNative?: true
  /** Our estimate of the input. */
  readonly inputTokens: number
  /** The audio part of `inputTokens`. A function, since counting is expensive and rarely needed. */
  readonly inputAudioTokens: () => number
  /** The provider may add input that cannot be measured here, such as search results. */
  readonly isOpenEnded: boolean
  /** The client's `reasoning_effort`. */
  readonly effort: string | undefined
  /** Requested images, each weighted by its size and quality: a plain one counts 1. */
  readonly imageUnits: number
  /** The service tier, the region and the tools that the client asks for. */
  readonly requested: RequestedTerms
  /** What budgets have put in the place of its model, in this order. */
  readonly bends?: readonly BentModel[] | undefined
}

/** A replaced model, with its price. */
export type BentModel = ModelBend & { readonly price: GroupPrice }

/** The account that a request is bound to. */
export interface BoundAccount {
  readonly channelId: number
  readonly keyHash: string
  /** The request makes no sense for another account. Otherwise it can go elsewhere without its encrypted content. */
  readonly isRequired: boolean
}

/** A body in the operation's canonical form, and the context for writing its response. */
export interface ParsedRequest extends ParsedBody<JsonObject> {
  readonly context: ResponseContext
}

export type OperationName =
  | 'chat'
  | 'completions'
  | 'token-count'
  | 'embeddings'
  | 'images'
  | 'image edits'
  | 'image variations'
  | 'speech'
  | 'transcription'
  | 'translation'
  | 'rerank'
  | 'moderation'
  | 'realtime'

/** Bodies and replies belong to the operation; the pipeline carries them without looking inside. */
export type AnyOperationAdapter = OperationAdapter<JsonObject, unknown, ChatChunk>

/** `small`: of what is free. */
export type BodySize = 'any' | 'small'

/** Something a model can do: how clients request it, which providers support it, and how its usage is estimated. */
export interface ModelOperation {
  readonly name: OperationName
  /** The body is a multipart form instead of JSON. */
  readonly hasFormBody?: true
  /** By default a body has the limits of requests. */
  readonly bodySize?: BodySize
  /** Runs over a websocket until one side closes it. There is no body. Returns what reads the client's frames. */
  converse?(parts: ConversationParts, headers: Headers): SocketListener
  /** The model that the query names, for an operation without a body. */
  modelInQuery?(query: URLSearchParams): string | undefined
  /** The client's headers, for clients that cannot set them. */
  readHeaders?(headers: Headers): Headers
  /** Returns undefined when the operation is not available in this dialect. */
  findDialect(client: ClientDialect): OperationDialect | undefined
  /** Returns undefined when the provider does not support the operation. */
  findAdapter(provider: Provider): AnyOperationAdapter | undefined
  /** The provider's own support for the client's dialect with this model. */
  findNativeAdapter?(provider: Provider, client: DialectName, model: string): AnyOperationAdapter | undefined
  /** Estimates the input tokens. */
  inputTokens(body: JsonObject): number
  /** The audio part of `inputTokens`; 0 by default. */
  inputAudioTokens?(body: JsonObject): number
  /** Whether the provider may add input that cannot be measured here; never by default. */
  hasOpenEndedInput?(body: JsonObject): boolean
  /** The most output tokens, where the input limits them and not the model. */
  outputTokensMax?(inputTokens: number): number
  /** Input tokens that a request can cost beyond its own, such as a conversation's. */
  readonly contextTokens?: number
  /** Estimates the output tokens of a JSON reply. */
  outputTokens(reply: unknown): number
  /** Requested images, each weighted by its size and quality. */
  imageUnits?(body: JsonObject): number
  /** Completes the provider's usage where its figures do not cover everything. */
  readUsage?(reply: unknown, body: JsonObject, usage: Usage | undefined): Usage | undefined
  /** Fetches what the reply must contain before it can be written as the client requested it. */
  completeReply?(reply: unknown, body: JsonObject, fetchImage: FetchImage): Promise<unknown>
  /** Whether the reply contains anything worth charging. */
  hasOutput(reply: unknown): boolean
  /** The signatures of a reply's reasoning; none by default. */
  signatures?(reply: unknown): readonly string[]
  /** Moves reasoning into the text between `<think>` tags, for channels with that setting. */
  withThinkTags?(reply: unknown): unknown
  /**
   * Splits a JSON reply into chunks for a client that requested a stream. Not defined for operations that never stream.
   */
  toChunks?(reply: unknown): readonly ChatChunk[]
  /** Collects a stream's chunks for a client that requested JSON. */
  createCollector?(): { add(chunk: ChatChunk): void; reply(): unknown }
}

/** Fetches an image that the provider only links to. Undefined when it cannot be fetched. */
export type FetchImage = (url: string) => Promise<Uint8Array | undefined>

/** One operation in one client dialect. */
export interface OperationDialect {
  parse(json: unknown, address?: UrlParams): ParsedBody<JsonObject>
  /** As `ChatDialect.parseUnjudged`. */
  parseUnjudged?(json: JsonObject, address: UrlParams): ParsedBody<JsonObject> | undefined
  writeReply(reply: unknown, usage: Usage, request: ParsedRequest): JsonObject | RawResponseBody
  /** As `ChatDialect.toStandardReply`. */
  toStandardReply?(json: JsonObject, requestId: string): JsonObject
  readonly stream?: OperationStream
}

export interface OperationStream {
  contentType(context: ResponseContext): string
  readonly keepAlive?: string | undefined
  createWriter(context: ResponseContext): StreamWriter
  createPassthrough(context: ResponseContext): StreamPassthrough
}

/** Reads the current values of some options; administrators change them while requests run. */
export interface SettingsReader<Name extends keyof RelayOptions> {
  current(): Pick<RelayOptions, Name>
}

/** The options of the base by their names, and the prices that they make. */
export interface RelayOptions extends OptionValues {
  readonly prices: PriceBook
}

/** How a response ended. Receipts store these words. */
export type ResponseEnding =
  | 'complete'
  | 'client-left'
  | 'upstream-broke'
  | 'quota-spent'
  | 'access-ended'
  | 'storage-failed'

/** How a response ended and what it used. */
export interface Outcome {
  readonly ending: ResponseEnding
  readonly usage: Usage
  /** The source of the usage. `free`: there was no output, so nothing is charged. */
  readonly provenance: 'upstream' | 'estimated' | 'free'
  /** What the provider reported, where it cannot be true and was not charged. */
  readonly rejectedUsage?: Usage
  /** The model that served, as the provider names it. In receipts only another one than was asked for. */
  readonly servedModel?: string | undefined
  /** What only the account that served the request can read again. */
  readonly handles?: AccountHandles | undefined
  /** From the start of the request to its first output; undefined when the response was not streamed. */
  readonly firstOutputMs: number | undefined
}

/** The two ends of a conversation, and what the relay does for it. */
export interface ConversationParts {
  readonly request: ActiveRequest
  readonly upstream: UpstreamSocket
  readonly client: ConversationClient
  /** Throws GatewayError for a frame beyond the caller's share of time or memory. */
  readonly admitFrame: (bytes: number) => void
  /** Throws GatewayError for a client's event that policies or features do not let through. */
  readonly judge: (event: unknown) => void
  readonly checkUsage: UsageCheck
  /** Extends the hold to all of the usage so far. False when the payer cannot afford it. */
  readonly extendHold: (usage: Usage) => Promise<boolean>
  /** Makes the charge durable. Called exactly once, however the conversation ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

/** As `ClientPresence`. */
export interface ConversationClient {
  readonly hasLeft: boolean
  readonly upstreamSignal: CancelSignal
  leave(): void
  countUnread(bytes: number): void
  whenRevoked(end: (reason: GatewayError) => void): void
}
