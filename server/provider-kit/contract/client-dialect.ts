import type { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import type { Usage } from '../../core/usage.ts'
import { type ErrorKind, type RateLimitState, readErrorKind } from '../error-kind.ts'
import type { Failure } from '../failures.ts'
import type { JsonObject } from '../json.ts'
import type { ChatBody, ChatChunk, ChatReply } from './chat.ts'
import type { HostedTools } from './hosted-tool.ts'
import type { DialectName, StreamEvent } from './operation-adapter.ts'
import type {
  CompletionsBody,
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

/** One client-side API format: parses its requests into the canonical form and writes canonical responses in it. */
export interface ClientDialect {
  readonly name: DialectName
  readonly chat: ChatDialect
  /** Shortens a conversation to what its continuation needs. */
  readonly compaction?: Pick<ChatDialect, 'parse' | 'writeReply'>
  /** Text completions (`/v1/completions`). */
  readonly completions?: ChatDialect<CompletionsBody>
  /** Mistral's completions between a prompt and a suffix (`/v1/fim/completions`). */
  readonly fim?: ChatDialect<CompletionsBody>
  readonly embeddings?: JsonDialect<EmbeddingsBody, EmbeddingsReply>
  readonly images?: JsonDialect<ImagesBody, ImagesReply>
  readonly imageEdits?: JsonDialect<ImageEditsBody, ImagesReply>
  readonly imageVariations?: JsonDialect<ImageVariationsBody, ImagesReply>
  readonly speech?: JsonDialect<SpeechBody, SpeechReply>
  /** Serves both transcription and translation into English. */
  readonly transcription?: JsonDialect<TranscriptionBody, TranscriptionReply>
  readonly rerank?: JsonDialect<RerankBody, RerankReply>
  readonly moderation?: JsonDialect<ModerationBody, ModerationReply>
  readonly models?: ModelListDialect
  /** Client headers, in lower case, that are forwarded to providers of the same dialect. Never one that holds a key. */
  readonly forwardedHeaders?: readonly string[]
  /**
   * Headers of a provider of the same dialect, in lower case, that clients read and receive. Never one that names an
   * account.
   */
  readonly providerHeaders?: readonly string[]
  /** A request's references to objects that only their account can read; none by default. */
  readAccountReferences?(json: JsonObject): AccountReferences | undefined
  /** The request without `droppable` references, for another account. */
  withoutEncryptedContent?(json: JsonObject): JsonObject
  /** The HTTP status of an error, where clients of the dialect expect another one than others. */
  errorStatus?(error: ClientError): number
  /** Headers of successful responses for a caller who has used this share of its limit; none by default. */
  usageHeaders?(share: number): Readonly<Record<string, string>>
  /** Headers of an error response that clients of the dialect read; none by default. */
  errorHeaders?(error: ClientError): Readonly<Record<string, string>>
  /** Whether clients that requested a stream understand an error only as an event of it. Codex compacts at such an event. */
  isStreamedError?(error: ClientError): boolean
  /** The JSON body of an error response, with `message` as it is: `inLanguage` chooses its language before. */
  writeError(error: ClientError, requestId: string): JsonObject
}

/** A request's references to objects that only their account can read, as `toHandle` returns them. */
export interface AccountReferences {
  /** Stored state that no other account has. */
  readonly stored: readonly string[]
  /** Encrypted content that no other account can read, and without which the request is still complete. */
  readonly droppable: readonly string[]
}

/** With the ids, as they are written, of what accounts keep beside responses. */
export interface RequestReferences extends AccountReferences {
  readonly ids: readonly string[]
}

/** How clients of a dialect request chat or text completions and read the response. */
export interface ChatDialect<Body extends JsonObject = ChatBody> {
  /** Throws a GatewayError `invalid_request` or `model_required` that states what was found and what was needed. */
  parse(json: unknown, address?: UrlParams): ParsedBody<Body>
  /**
   * Reads of a body that `parse` rejects what routing, limits and price need. Providers of this dialect judge the rest
   * themselves, which may be newer than this gateway. Undefined when not even that can be read.
   */
  parseUnjudged?(json: JsonObject, address: UrlParams): ParsedBody<Body> | undefined
  writeReply(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject
  /** The `content-type` of a streamed response. */
  streamType(context: ResponseContext): string
  /** What a client of a quiet stream of events receives; a comment by default. */
  readonly keepAlive?: string
  createWriter(context: ResponseContext): StreamWriter
  /** For responses whose bytes are already in this dialect. */
  createPassthrough(context: ResponseContext): StreamPassthrough
  /**
   * A complete response whose provider speaks this dialect, without the provider's deviations from it. The same object when
   * there are none, so that its bytes pass unchanged.
   */
  toStandardReply?(json: JsonObject, requestId: string): JsonObject
  /** The response to a request that only counts tokens. */
  writeTokenCount?(tokens: number): JsonObject
}

/** How a dialect lists models. */
export interface ModelListDialect {
  /** `query` may select a page. Throws a GatewayError `invalid_request` for a page that does not exist. */
  writeList(models: readonly ListedModel[], query?: URLSearchParams): JsonObject
  /** The response body for a single model. */
  writeModel(model: ListedModel): JsonObject
}

/**
 * A client-side format of an operation that is not streamed. `json` holds the form fields where clients send a form.
 */
export interface JsonDialect<Body extends JsonObject, Reply> {
  /** Throws a GatewayError `invalid_request` or `model_required` that states what was found and what was needed. */
  parse(json: unknown, address?: UrlParams): ParsedBody<Body>
  writeReply(reply: Reply, usage: Usage, request: ParsedBody<Body>): JsonObject | RawResponseBody
}

/** A response body that is not JSON. */
export class RawResponseBody {
  readonly contentType: string
  readonly body: string | Uint8Array<ArrayBuffer>

  constructor(contentType: string, body: string | Uint8Array<ArrayBuffer>) {
    this.contentType = contentType
    this.body = body
  }
}

/** Parameters that a client puts into the URL instead of the body. */
export interface UrlParams {
  readonly model?: string | undefined
  /** The method after the model name, e.g. `streamGenerateContent`. */
  readonly method?: string | undefined
  /** The stream format that the client requests, e.g. `sse`. */
  readonly alt?: string | undefined
}

/** A client request in canonical form, with the properties that the relay needs. */
export interface ParsedBody<Body> {
  readonly body: Body
  /** The model name as the client sent it. */
  readonly model: string
  readonly isStream: boolean
  /** The highest number of output tokens that the client allows over all choices. Undefined when it sets no limit. */
  readonly maxOutputTokens?: number | undefined
  /** The number of answers that the client requests; 1 by default. */
  readonly choices?: number
  /** The client requests usage in a streamed response. */
  readonly wantsUsage: boolean
  /** A feature that the canonical form cannot express. Only providers of the client's own dialect can serve it. */
  readonly nativeOnlyFeature?: BothLanguages | undefined
  /** Tools that providers execute themselves. Those that a provider lacks are left out. Undefined when there are none. */
  readonly hostedTools?: HostedTools | undefined
  /** Why only providers of the client's own dialect may receive the body: it does not match what we know of the dialect. */
  readonly rejection?: GatewayError
  /** Request fields that the dialect repeats in its responses; none by default. */
  readonly echoedFields?: JsonObject
}

/** The properties of a request that its response depends on. */
export interface ResponseContext {
  readonly requestId: string
  /** The model name as the client sent it, for responses in which the provider names no model. */
  readonly model: string
  readonly nowSeconds: number
  readonly wantsUsage: boolean
  /** Estimated, for dialects that report input tokens before the provider does. */
  readonly inputTokens: number
  readonly urlParams: UrlParams
  /** Request fields that the response repeats. */
  readonly echoedFields: JsonObject
  /** Encrypts text that only the gateway reads again, for the user of the request. */
  readonly encrypt?: (text: string) => string
}

/** Writes one streamed response from chunks. Each call returns the text to send, which may be empty. */
export interface StreamWriter {
  write(chunk: ChatChunk): string
  /** Ends the response successfully. Call once, as the last call. */
  end(usage: Usage | undefined): string
  /** Ends the response with an error. Call once, as the last call. */
  fail(error: ClientError): string
}

/** Passes one streamed response through, event by event. Whatever needs no change stays byte for byte. */
export interface StreamPassthrough {
  /**
   * The text to send for one event. Empty for events that the client must not see and for the provider's end marker,
   * since `end` writes its own.
   */
  pass(event: StreamEvent): string
  end(usage: Usage | undefined): string
  fail(error: ClientError): string
}

/** The part of an error that clients see. */
export type ClientError = Pick<
  Failure,
  'status' | 'code' | 'message' | 'messageZh' | 'type' | 'param' | 'retryAfterSeconds' | 'isDailyQuota'
> & { readonly rateLimit?: RateLimitState | undefined }

/** One model of the model list. */
export interface ListedModel {
  readonly id: string
  readonly ownedBy: string
  readonly isEmbedding?: boolean
  /** Undefined where it is unknown. */
  readonly inputTokensMax?: number | undefined
  /** Undefined where it is unknown. */
  readonly outputTokensMax?: number | undefined
  /** The day from which on the provider advises against it, such as 2026-09-05. */
  readonly deprecatedOn?: string | undefined
  /** The day from which on the provider no longer serves it. */
  readonly retiresOn?: string | undefined
}

/** `providerHeaders` of OpenAI's APIs. Source: platform.openai.com/docs/api-reference/debugging-requests */
export const OPENAI_PROVIDER_HEADERS: readonly string[] = [
  'x-request-id',
  'openai-processing-ms',
  ...['limit', 'remaining', 'reset'].flatMap(figure =>
    ['requests', 'tokens'].map(counted => `x-ratelimit-${figure}-${counted}`),
  ),
]

/**
 * The limit that rejected a request, as OpenAI's APIs state it: platform.openai.com/docs/guides/rate-limits. A budget of money is
 * stated in the same way, in quota units.
 */
export function openaiErrorHeaders({
  rateLimit,
  retryAfterSeconds: reset,
}: ClientError): Readonly<Record<string, string>> {
  if (!rateLimit) return {}
  const { counted, limit, remaining } = rateLimit
  return {
    [`x-ratelimit-limit-${counted}`]: String(limit),
    [`x-ratelimit-remaining-${counted}`]: String(remaining),
    ...(reset !== undefined && { [`x-ratelimit-reset-${counted}`]: toDuration(reset) }),
  }
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Such as `1h2m3s`, without leading zeros. */
const toDuration = (seconds: number): string =>
  [
    seconds >= HOUR && `${Math.floor(seconds / HOUR)}h`,
    seconds >= MINUTE && `${Math.floor((seconds % HOUR) / MINUTE)}m`,
    `${seconds % MINUTE}s`,
  ]
    .filter(Boolean)
    .join('')

/** The type of errors that the gateway itself raises. */
const OWN_ERROR_TYPE = 'tollgate_error'

/**
 * The error body of OpenAI's APIs, shared by the dialects `openai` and `responses`. Source:
 * platform.openai.com/docs/guides/error-codes
 */
export function toOpenaiError(error: ClientError, requestId: string): JsonObject {
  const kind = readErrorKind(error)
  const own = kind && OPENAI_ERRORS[kind]
  return {
    error: {
      message: `${error.message} (request id: ${requestId})`,
      type:
        own?.type ?? error.type ?? (error.code === 'not_found' ? 'invalid_request_error' : OWN_ERROR_TYPE),
      param: error.param ?? '',
      code: own?.code ?? error.code,
    },
  }
}

/** Error codes that OpenAI's clients look for. A spent budget keeps the code that names its owner. */
const OPENAI_ERRORS: Readonly<
  Record<ErrorKind, { readonly type: string; readonly code?: string } | undefined>
> = {
  'unknown model': { type: 'invalid_request_error', code: 'model_not_found' },
  'context overflow': { type: 'invalid_request_error', code: 'context_length_exceeded' },
  'content filter': undefined,
  'spent budget': undefined,
}
