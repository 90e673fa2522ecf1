import { LargeJson } from '../../core/json/large-json.ts'
import type { Usage } from '../../core/usage.ts'
import { withExactNumbers } from '../exact-numbers.ts'
import type { Failure, ResponseHeaders } from '../failures.ts'
import type { JsonObject } from '../json.ts'
import type { ChatBody, ChatChunk, ChatReply } from './chat.ts'
import type { AvailableHostedTools, HostedToolSupport } from './hosted-tool.ts'
import type {
  EmbeddingsBody,
  EmbeddingsReply,
  ImageEditsBody,
  ImagesBody,
  ImagesReply,
  ImageVariationsBody,
  ModerationBody,
  ModerationReply,
  RerankBody,
  RerankReply,
  SpeechBody,
  SpeechReply,
  TranscriptionBody,
  TranscriptionReply,
} from './operations.ts'

/** A client-side API format. Also names the format of providers whose own API is the same. */
export type DialectName = 'openai' | 'anthropic' | 'gemini' | 'interactions' | 'responses' | 'cohere'

/** The part of a configured channel that a provider may see. */
export interface ChannelView {
  readonly id: number
  /** The provider's secret. It may appear in headers only, or as the key of a signature. */
  readonly key: string
  /** The channel's own base URL, else the provider's. No trailing slash. */
  readonly baseUrl: string
  /** The provider-specific form field: API version, region, account id and so on. */
  readonly other: string
  readonly organization: string
  readonly setting: ChannelSetting
}

/** Options of a channel, stored as JSON under these names. */
export interface ChannelSetting {
  /** Rebuilds every chunk in the strict OpenAI shape. */
  readonly force_format?: boolean
  /** Turns reasoning into `<think>` text. */
  readonly thinking_to_content?: boolean
  /** An http, https or socks5 proxy for the calls of this channel. */
  readonly proxy?: string
  /** Each line of the key is a separate key. The keys are used in turn and have separate health. */
  readonly several_keys?: boolean
  /** Concurrent calls over all processes. */
  readonly max_concurrency?: number
  /** Calls started per calendar minute over all processes. */
  readonly requests_per_minute?: number
  /** The silence after which the client of a stream is sent a sign of life; 0: never. By default the gateway's. */
  readonly keep_alive_seconds?: number
  /** The region of the provider whose prices apply. */
  readonly region?: string
  /** Whether the upstream counts cached tokens inside its input tokens; by default as the provider of its format. */
  readonly cached_tokens?: 'included' | 'separate'
  /** The same for reasoning inside output. */
  readonly reasoning_tokens?: 'included' | 'separate'
  /** The multiplier of the upstream's figures. */
  readonly usage_multiplier?: number
}

/** One call to translate. It holds everything that differs between calls, so that adapters stay pure. */
export interface AdapterCall<Body> {
  readonly channel: ChannelView
  /** The upstream model name, after the channel's model mapping. */
  readonly model: string
  readonly body: Body
  /** The body has long strings: see `stringifyBody`. */
  readonly isLarge?: boolean
  /** The client's body has numbers that a double cannot hold: see `stringifyBody`. */
  readonly hasLongNumbers?: boolean
  readonly isStream: boolean
  readonly requestId: string
  /** Unix time in seconds, for signatures. */
  readonly nowSeconds: number
  /**
   * The client used another dialect, so the body may hold extensions of the canonical form that strict providers
   * reject.
   */
  readonly isTranslated?: boolean
  /** The channel's model mapping has put this model in the place of another one. */
  readonly isMapped?: boolean
  /** The longest answer of the model, where it is known. */
  readonly outputTokensMax?: number | undefined
  /** The result of the adapter's `ownNames`. */
  readonly ownNames?: OwnNames | undefined
  /** The tools that the provider is to execute itself, all of which it has. */
  readonly hostedTools?: AvailableHostedTools | undefined
  /** Client headers that the dialect forwards to providers of the same dialect. */
  readonly forwardedHeaders?: Readonly<Record<string, string>>
  /** The result of the provider's `credential`, where it has one. */
  readonly credential?: Credential
}

/** The text of a thought, the text with its signature, or the data of each call. */
export type ThoughtForm = 'text' | 'signed' | 'calls'

/** The client's names of functions by those that replace them at the provider. */
export type OwnNames = ReadonlyMap<string, string>

/** A call without its body. A stream reader lives as long as its stream, so it must not retain a long prompt. */
export type StreamCall = Omit<AdapterCall<unknown>, 'body'>

/** A short-lived credential that a key was traded for. */
export interface Credential {
  readonly token: string
  /** Unix time in seconds. The credential is renewed before then. */
  readonly expiresAt: number
  readonly extra?: Readonly<Record<string, string>>
}

/** A request to a provider. POST by default. */
export interface UpstreamRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** With `wss:`, the body is sent as one text frame, and each received text frame is an event without a name. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | LargeJson | FormData | undefined
  /** Extra headers that sign the final body, after the channel's overrides. */
  readonly sign?: (body: string | Uint8Array) => Readonly<Record<string, string>>
}

/** Whether a request uses a WebSocket. */
export const isWebSocket = ({ url }: Pick<UpstreamRequest, 'url'>): boolean =>
  url.startsWith('ws:') || url.startsWith('wss:')

/** The body of a JSON request. Long strings of the client are not copied before it is sent, and its numbers keep their digits. */
export function stringifyBody(
  body: unknown,
  {
    isLarge,
    hasLongNumbers,
    body: original,
  }: Pick<AdapterCall<unknown>, 'isLarge' | 'hasLongNumbers' | 'body'>,
): string | LargeJson {
  const exact = hasLongNumbers === true ? withExactNumbers(body, original) : body
  return isLarge === true ? new LargeJson(exact) : JSON.stringify(exact)
}

/** Headers for a JSON request with the key as a bearer token. */
export function bearerHeaders({ channel }: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> {
  const headers = { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json' }
  return channel.organization ? { ...headers, 'openai-organization': channel.organization } : headers
}

const VERSION_PREFIX = /^(?:\/[a-z]+)*(\/v\d+)(?=\/)/

/**
 * Joins base URL and path. Where the base URL already ends in the version of the path (`/v1`, `/api/v3`), the path's
 * prefix up to that version is left out.
 */
export function versionedUrl(baseUrl: string, path: string): string {
  const [prefix = '', version] = VERSION_PREFIX.exec(path) ?? []
  return baseUrl + (version && baseUrl.endsWith(version) ? path.slice(prefix.length) : path)
}

/** How the bytes of a streamed response are divided into events. */
export type Framing = 'sse' | 'ndjson' | 'aws-event-stream'

/** One event of a streamed response. */
export interface StreamEvent {
  /** The event name, where the framing has names. */
  readonly name?: string | undefined
  /** The payload as text. Empty for a comment or keep-alive, which only shows that the stream is alive. */
  readonly data: string
  /**
   * The event as received, including line ends. Concatenating the `raw` of all events gives the stream. Empty for
   * binary framings.
   */
  readonly raw: string
}

/**
 * Objects that only the account that made them can read again: ids of stored responses and their items, encrypted content. As
 * `toHandle` returns them.
 */
export type AccountHandles = readonly string[]

/** An adapter's result for a complete response: the reply, or the reported failure. */
export type AdapterResult<Reply> =
  | {
      readonly kind: 'reply'
      readonly reply: Reply
      /** Absent when the provider reports none. */
      readonly usage?: Usage | undefined
      readonly handles?: AccountHandles
    }
  | { readonly kind: 'failure'; readonly failure: Failure }

/** The provider is still working: the next request to send, and the delay before it in milliseconds. */
export interface NextPoll {
  readonly request: UpstreamRequest
  readonly afterMs: number
}

/**
 * How a successful body is read: parsed JSON, text, bytes read in full, or bytes passed to the client as they arrive.
 */
export type ResponseKind = 'json' | 'text' | 'bytes' | 'passthrough'

/** The output of a stream reader: a chunk, output without a canonical form, or a failure. */
export type StreamPiece<Chunk> =
  | Chunk
  | UnmappedDelta
  | { readonly type: 'failure'; readonly failure: Failure }

/**
 * Output that the canonical form cannot express. It reaches clients only where the provider's bytes are passed through.
 */
export interface UnmappedDelta {
  readonly type: 'unmapped-delta'
  readonly text: string
}

/** Reads one streamed response. Create one per response. It keeps counters and open tool calls, never the text. */
export interface StreamReader<Chunk> {
  /** The pieces of one event. The caller reads nothing more after a failure. */
  read(event: StreamEvent): readonly StreamPiece<Chunk>[]
  /** The state so far. Usage may still grow until the stream ends. */
  end(): StreamEnd<Chunk>
}

/** Read once, after the bytes have ended for any reason. */
export interface StreamEnd<Chunk> {
  /** Chunks that could only be produced at the end. */
  readonly chunks: readonly StreamPiece<Chunk>[]
  /** Absent when the provider reports none; the relay then estimates it. */
  readonly usage?: Usage | undefined
  /** The provider's own end was seen: a finish reason or an end marker. False means that the response was cut off. */
  readonly isComplete: boolean
  readonly servedModel?: string | undefined
  readonly handles?: AccountHandles | undefined
}

/** Side effects for a provider's own small requests (credentials, balance, uploads). */
export interface ProviderIo {
  readonly nowSeconds: number
  /** Sends one request through the relay's HTTP client and parses the response as JSON. */
  send(request: UpstreamRequest): Promise<{ readonly status: number; readonly json: unknown }>
}

/** The part of a call that is known before it is translated. */
export type PrepareContext<Body> = Pick<AdapterCall<Body>, 'channel' | 'body' | 'requestId'>

/**
 * One operation of one provider: pure functions that build the request and read the response. No fetch, clock or
 * database.
 */
export interface OperationAdapter<Body, Reply, Chunk = never> {
  /**
   * The dialect that the provider's bytes are already in. When the client uses the same dialect and the channel
   * rewrites nothing, the bytes pass through unchanged and are only read for usage and errors.
   */
  readonly nativeFormat?: DialectName
  readonly framing?: Framing
  /** The tools that the provider executes itself; none by default. */
  readonly hostedTools?: readonly HostedToolSupport[]
  /** Calls with hosted tools go to a URL of their own, which compatible servers may lack. */
  readonly hasToolUrl?: true
  /** Whether a native API accepts a tool of this type, where it lacks some of its dialect; every type by default. */
  acceptsTool?(type: string): boolean
  /** `request` has all headers of the client that the provider takes; the relay adds the others elsewhere. */
  readonly filtersHeaders?: true
  /** The provider fetches no URLs, so the relay inlines images that are given by URL before it calls `request`. */
  readonly inlinesImages?: true
  /**
   * Requests that must precede the call, such as image uploads. Returns the body that `request` then translates.
   * Throws a GatewayError when the provider rejects one of them.
   */
  prepare?(context: PrepareContext<Body>, io: ProviderIo): Promise<Body>
  /** Undefined where the provider accepts all names of the request. Responses with other names cannot be passed through. */
  ownNames?(call: AdapterCall<Body>): OwnNames | undefined
  /** How the model demands back what it thought before its calls; undefined where it does not. */
  thoughtForm?(model: string): ThoughtForm | undefined
  /** What the provider's rules change of the client's fields, in the words of receipts. */
  adjustments?(call: AdapterCall<Body>): readonly string[]
  /** Throws a GatewayError `invalid_request` for a feature that this provider lacks. */
  request(call: AdapterCall<Body>): UpstreamRequest
  /** Chooses by `content-type`. By default every response is JSON. */
  responseKind?(call: AdapterCall<Body>, contentType: string): ResponseKind
  /** For providers with asynchronous jobs: the next request while the given response is not the final one. */
  nextPoll?(response: unknown, call: AdapterCall<Body>): NextPoll | undefined
  /** Reads a complete response: parsed JSON, text, or a Uint8Array, depending on `responseKind`. */
  reply(response: unknown, call: AdapterCall<Body>): AdapterResult<Reply>
  /** For passed-through responses, the reader yields no chunks and only looks for usage and failures. */
  stream?: (call: StreamCall) => StreamReader<Chunk>
  /** Reads a response with an error status. By default `readFailure`, which knows the common error shapes. */
  failure?(status: number, body: string, headers: ResponseHeaders): Failure
  /** Extracts the event of the native format from the provider's own framing. Not needed where the two are the same. */
  unwrap?(event: StreamEvent): StreamEvent
}

/** A client of the provider's own format keeps what belongs to its history. */
export function withoutThoughtForm<Adapter extends Pick<ChatAdapter, 'thoughtForm'>>({
  thoughtForm: _,
  ...adapter
}: Adapter): Omit<Adapter, 'thoughtForm'> {
  return adapter
}

/** Chat of one provider. */
export type ChatAdapter = OperationAdapter<ChatBody, ChatReply, ChatChunk>
/** Embeddings of one provider. */
export type EmbeddingsAdapter = OperationAdapter<EmbeddingsBody, EmbeddingsReply>
/** Image generation of one provider. */
export type ImagesAdapter = OperationAdapter<ImagesBody, ImagesReply, never>
/** Image edits of one provider. */
export type ImageEditsAdapter = OperationAdapter<ImageEditsBody, ImagesReply, never>
/** Image variations of one provider. */
export type ImageVariationsAdapter = OperationAdapter<ImageVariationsBody, ImagesReply, never>
/** Text to speech of one provider. */
export type SpeechAdapter = OperationAdapter<SpeechBody, SpeechReply, never>
/** Transcription or translation of one provider. */
export type TranscriptionAdapter = OperationAdapter<TranscriptionBody, TranscriptionReply, never>
/** Rerank of one provider. */
export type RerankAdapter = OperationAdapter<RerankBody, RerankReply>
/** Only builds the WebSocket request. A plain HTTP response is a failure. */
export type RealtimeAdapter = OperationAdapter<JsonObject, never>
/** Moderation of one provider. */
export type ModerationAdapter = OperationAdapter<ModerationBody, ModerationReply>
/** The body is the client's own JSON in the named dialect. The response is read, and its bytes pass through. */
export interface NativeAdapter extends OperationAdapter<JsonObject, ChatReply, ChatChunk> {
  /** Whether a model supports this dialect; every model does by default. */
  serves?(model: string): boolean
}
/** Counts the tokens of a body of the named dialect. Free of charge. */
export type TokenCountAdapter = OperationAdapter<JsonObject, number>
/** `body` is unused; the reply is the list of model names. */
export type ModelListAdapter = OperationAdapter<undefined, readonly string[]>
