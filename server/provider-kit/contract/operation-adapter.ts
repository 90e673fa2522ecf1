import type { Usage } from '../../core/usage.ts'
import type { ChatBody, ChatChunk, ChatReply, JsonObject } from './chat.ts'
import type {
  EmbeddingsBody,
  EmbeddingsReply,
  ImageEditsBody,
  ImagesBody,
  ImagesReply,
  ModerationBody,
  ModerationReply,
  RerankBody,
  RerankReply,
  SpeechBody,
  SpeechReply,
  TranscriptionBody,
  TranscriptionReply,
} from './operations.ts'

/** What may be asked of the headers of a vendor's answer. */
export interface ResponseHeaders {
  /** `name` in lower case. Several headers of one name are joined by a comma; null when there is none. */
  get(name: string): string | null
}

/** What went wrong at an upstream, said so that the relay can decide without knowing the vendor. */
export interface Failure {
  /** The HTTP status to report; where the vendor hides an error in a 200, the status it means. */
  readonly status: number
  /** The vendor's own code or type where it has one, else a word of ours. */
  readonly code: string
  /** Without keys and addresses. */
  readonly message: string
  /** The vendor's error type, passed on to clients of the OpenAI dialect. */
  readonly type?: string | undefined
  readonly param?: string | undefined
  /** Whether another channel may succeed, where the answer says more about it than its status. */
  readonly isRetryable?: boolean | undefined
  /** The key itself is refused (revoked, unpaid, banned): reason to disable the channel. */
  readonly isKeyRevoked?: boolean | undefined
  /** The connection closed before an answer's headers came: an old one that the vendor had given up, or bad luck. */
  readonly isConnectionLost?: boolean | undefined
  /** Seconds the vendor asked to wait. */
  readonly retryAfterSeconds?: number | undefined
}

/** How clients speak, and how some vendors' bytes already are. */
export type DialectName = 'openai' | 'anthropic' | 'gemini' | 'responses'

/** What a provider may see of a configured channel. */
export interface ChannelView {
  readonly id: number
  /** The vendor's secret. May appear in headers only, or signed. */
  readonly key: string
  /** The channel's own address, else the provider's; no trailing slash. */
  readonly baseUrl: string
  /** The vendor-specific field of the form: API version, region, account id … */
  readonly other: string
  readonly organization: string
  readonly setting: ChannelSetting
}

export interface ChannelSetting {
  /** Rebuild every chunk into the strict OpenAI shape. */
  readonly force_format?: boolean
  /** Turn reasoning into `<think>` text. */
  readonly thinking_to_content?: boolean
  /** An http, https or socks5 address that this channel's calls go through. */
  readonly proxy?: string
  /** The lines of the key are several keys of this one channel, used in turn, each with a health of its own. */
  readonly several_keys?: boolean
  /** Calls under way at once, over all processes. */
  readonly max_concurrency?: number
  /** Calls begun in a minute of the clock, over all processes. */
  readonly requests_per_minute?: number
}

/** One call to translate. Everything that differs from call to call is in here, so that translating stays pure. */
export interface AdapterCall<Body> {
  readonly channel: ChannelView
  /** The name to send, after the channel's model mapping. */
  readonly model: string
  readonly body: Body
  readonly isStream: boolean
  readonly requestId: string
  /** Unix seconds, for signatures. */
  readonly nowSeconds: number
  /** The client wrote it in another dialect, so it may hold extensions of the canonical form that strict vendors refuse. */
  readonly isTranslated?: boolean
  /** What the client's dialect shows to vendors of the same dialect. */
  readonly forwardedHeaders?: Readonly<Record<string, string>>
  /** What the provider's `credential` gave, where it has one. */
  readonly credential?: Credential
}

/** A call without what was said in it: whoever reads a stream lives as long as the stream does, and prompts are long. */
export type StreamCall = Omit<AdapterCall<unknown>, 'body'>

export interface Credential {
  readonly token: string
  /** Unix seconds. It is renewed before then. */
  readonly expiresAt: number
  readonly extra?: Readonly<Record<string, string>>
}

export interface UpstreamRequest {
  readonly method?: 'GET' | 'POST'
  /** `wss:`: the body is sent as one text frame, and each text frame that comes back is an event without a name. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData
  /** Further headers that sign the body as it is sent, after all that the channel changes in it. */
  readonly sign?: (body: string) => Readonly<Record<string, string>>
}

/** Whether a request goes over a websocket. */
export const isWebSocket = ({ url }: UpstreamRequest): boolean =>
  url.startsWith('ws:') || url.startsWith('wss:')

/** How the bytes of a streamed answer are cut into events. */
export type Framing = 'sse' | 'ndjson' | 'aws-event-stream'

export interface StreamEvent {
  /** The event's name where the framing has names. */
  readonly name?: string | undefined
  /** The event's payload as text. Empty for a comment or keep-alive: nothing to read, but a sign of life. */
  readonly data: string
  /** All of the event as it came, with its line ends. The `raw` of all events joined is the stream; empty where it is binary. */
  readonly raw: string
}

export type AdapterResult<Reply> =
  | {
      readonly kind: 'reply'
      readonly reply: Reply /** Absent when the vendor did not say. */
      readonly usage?: Usage | undefined
    }
  | { readonly kind: 'failure'; readonly failure: Failure }

/** The vendor has begun and is not done: this is to be asked after a while. */
export interface NextPoll {
  readonly request: UpstreamRequest
  readonly afterMs: number
}

/**
 * What the body of a good answer is: JSON, text, bytes that are read whole, or what is passed on to the client as it
 * comes, byte for byte.
 */
export type ResponseKind = 'json' | 'text' | 'bytes' | 'passthrough'

export type StreamPiece<Chunk> =
  | Chunk
  | UnmappedDelta
  | { readonly type: 'failure'; readonly failure: Failure }

/** Output that the canonical form has no place for: it reaches clients only where the vendor's own bytes are passed on. */
export interface UnmappedDelta {
  readonly type: 'unmapped-delta'
  readonly text: string
}

/** Reads one streamed answer. Fresh per answer; keeps counters and open calls, never the text. */
export interface StreamReader<Chunk> {
  /** The pieces of one event. Nothing is to be read after a failure. */
  read(event: StreamEvent): readonly StreamPiece<Chunk>[]
  /** What is known so far; usage may still grow until the end. */
  end(): StreamEnd<Chunk>
}

/** Told once, when the bytes have ended in whatever way. */
export interface StreamEnd<Chunk> {
  /** What could only be said at the end. */
  readonly chunks: readonly StreamPiece<Chunk>[]
  /** Absent when the vendor did not say: estimate it. */
  readonly usage?: Usage | undefined
  /** The vendor's own end was seen: a finish reason, or its end mark. False: the answer was cut off. */
  readonly isComplete: boolean
}

/** What a vendor's own small conversations (credential, balance, uploads) may use of the world. */
export interface ProviderIo {
  readonly nowSeconds: number
  /** Sends one call through the relay's own door and reads the answer as JSON. */
  send(request: UpstreamRequest): Promise<{ readonly status: number; readonly json: unknown }>
}

/** What is known of a call before it is translated. */
export type PrepareContext<Body> = Pick<AdapterCall<Body>, 'channel' | 'body' | 'requestId'>

/** One operation of one vendor: pure translation there and back. No fetch, no clock, no database. */
export interface OperationAdapter<Body, Reply, Chunk = never> {
  /**
   * The dialect in which the vendor's bytes already are. When it is the client's too, and the channel rewrites
   * nothing, the answer's bytes pass untouched and are only read for usage and errors.
   */
  readonly nativeFormat?: DialectName
  readonly framing?: Framing
  /** The vendor fetches no pictures: those that are named by an address are put into the body before `request`. */
  readonly inlinesImages?: true
  /**
   * What the vendor has to be asked first, such as the upload of a picture: gives the body that `request` translates then.
   * Absent where nothing has. Throws a GatewayError when the vendor does not take it.
   */
  prepare?(context: PrepareContext<Body>, io: ProviderIo): Promise<Body>
  /** Throws a GatewayError `invalid_request` for what this vendor cannot be asked. */
  request(call: AdapterCall<Body>): UpstreamRequest
  /** By the answer's `content-type`. Absent: always JSON. */
  responseKind?(call: AdapterCall<Body>, contentType: string): ResponseKind
  /** For vendors that work on their own: what to ask next, as long as an answer is not the last. */
  nextPoll?(response: unknown, call: AdapterCall<Body>): NextPoll | undefined
  /** Reads a whole answer: parsed JSON, text, or a Uint8Array. */
  reply(response: unknown, call: AdapterCall<Body>): AdapterResult<Reply>
  /** Where the answer is passed on as it comes, its reader gives no pieces and only looks for usage and failures. */
  stream?: (call: StreamCall) => StreamReader<Chunk>
  /** Says what an answer with a bad status means. Absent: the kit's reading of common error shapes. */
  failure?(status: number, body: string, headers: ResponseHeaders): Failure
  /** The event of the named dialect inside an event of the vendor's own framing. Absent: they are the same. */
  unwrap?(event: StreamEvent): StreamEvent
}

export type ChatAdapter = OperationAdapter<ChatBody, ChatReply, ChatChunk>
export type EmbeddingsAdapter = OperationAdapter<EmbeddingsBody, EmbeddingsReply>
export type ImagesAdapter = OperationAdapter<ImagesBody, ImagesReply, never>
export type ImageEditsAdapter = OperationAdapter<ImageEditsBody, ImagesReply, never>
export type SpeechAdapter = OperationAdapter<SpeechBody, SpeechReply, never>
export type TranscriptionAdapter = OperationAdapter<TranscriptionBody, TranscriptionReply, never>
export type RerankAdapter = OperationAdapter<RerankBody, RerankReply>
/** Only says where the socket is opened; a plain answer in its place is a failure. */
export type RealtimeAdapter = OperationAdapter<JsonObject, never>
export type ModerationAdapter = OperationAdapter<ModerationBody, ModerationReply>
/** The body is the client's own JSON in the named dialect. Answers are read, and their bytes pass. */
export interface NativeAdapter extends OperationAdapter<JsonObject, ChatReply, ChatChunk> {
  /** Absent: every model of the vendor is spoken to in this dialect. */
  serves?(model: string): boolean
}
/** Asks how many tokens a body of the named dialect has. Costs nothing. */
export type TokenCountAdapter = OperationAdapter<JsonObject, number>
/** `body` is unused; the reply is the names. */
export type ModelListAdapter = OperationAdapter<undefined, readonly string[]>
