import type { Usage } from '../../core/usage.ts'
import type { ChatBody, ChatChunk, ChatReply, JsonObject } from './chat.ts'
import type { DialectName, Failure, StreamEvent } from './operation-adapter.ts'
import type {
  CompletionsBody,
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

/** One way in which clients speak: from their body to the canonical form, and from the canonical form to their answer. */
export interface ClientDialect {
  readonly name: DialectName
  readonly chat: ChatDialect
  /** Texts that a model goes on with. */
  readonly completions?: ChatDialect<CompletionsBody>
  readonly embeddings?: JsonDialect<EmbeddingsBody, EmbeddingsReply>
  readonly images?: JsonDialect<ImagesBody, ImagesReply>
  readonly imageEdits?: JsonDialect<ImageEditsBody, ImagesReply>
  readonly speech?: JsonDialect<SpeechBody, SpeechReply>
  /** Of both sound to text and sound to English text. */
  readonly transcription?: JsonDialect<TranscriptionBody, TranscriptionReply>
  readonly rerank?: JsonDialect<RerankBody, RerankReply>
  readonly moderation?: JsonDialect<ModerationBody, ModerationReply>
  readonly models?: ModelListDialect
  /** Headers of the client that a vendor of the same dialect is shown, in lower case. Never one that holds a key. */
  readonly forwardedHeaders?: readonly string[]
  /** The body of an error answer. A GatewayError and a Failure both fit. */
  writeError(error: ClientError, requestId: string): JsonObject
}

export interface ChatDialect<Body extends JsonObject = ChatBody> {
  /** Throws a GatewayError `invalid_request` or `model_required` that says what was found and what was needed. */
  parse(json: unknown, address?: UrlParams): ParsedBody<Body>
  writeReply(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject
  /** The `content-type` of a streamed answer. */
  streamType(context: ResponseContext): string
  createWriter(context: ResponseContext): StreamWriter
  /** For answers whose bytes are in this dialect already. */
  createPassthrough(context: ResponseContext): StreamPassthrough
  /** The answer to a client that only asks how many tokens a request has. */
  writeTokenCount?(tokens: number): JsonObject
}

export interface ModelListDialect {
  writeList(models: readonly ListedModel[]): JsonObject
  /** The body that describes one model of the list. */
  writeModel(model: ListedModel): JsonObject
}

/** How clients ask for what is answered at once, and read the answer. `json` holds a form's fields where they send one. */
export interface JsonDialect<Body extends JsonObject, Reply> {
  /** Throws a GatewayError `invalid_request` or `model_required` that says what was found and what was needed. */
  parse(json: unknown, address?: UrlParams): ParsedBody<Body>
  writeReply(reply: Reply, usage: Usage, request: ParsedBody<Body>): JsonObject | RawResponseBody
}

/** An answer that is no JSON. */
export class RawResponseBody {
  readonly contentType: string
  readonly body: string | Uint8Array<ArrayBuffer>

  constructor(contentType: string, body: string | Uint8Array<ArrayBuffer>) {
    this.contentType = contentType
    this.body = body
  }
}

/** What stands in the address instead of the body. */
export interface UrlParams {
  readonly model?: string | undefined
  /** What is wanted of the model, e.g. `streamGenerateContent`. */
  readonly method?: string | undefined
  /** The form that the client wants a stream in, e.g. `sse`. */
  readonly alt?: string | undefined
}

export interface ParsedBody<Body> {
  readonly body: Body
  /** The name as the client wrote it. */
  readonly model: string
  readonly isStream: boolean
  /** The most output tokens that the client allows, over all choices together. Absent: the client set no limit. */
  readonly maxOutputTokens?: number | undefined
  /** The client wants to see usage in a streamed answer. */
  readonly wantsUsage: boolean
  /** What the canonical form cannot say: only a vendor of the client's own dialect can be asked for it. */
  readonly nativeOnlyFeature?: string | undefined
  /** The fields of the body that the dialect repeats in its answers. Absent: none. */
  readonly echoedFields?: JsonObject
}

export interface ResponseContext {
  readonly requestId: string
  /** The name as the client wrote it: for answers in which the vendor names no model. */
  readonly model: string
  readonly nowSeconds: number
  readonly wantsUsage: boolean
  /** Estimated: for dialects that tell it before the vendor does. */
  readonly inputTokens: number
  readonly urlParams: UrlParams
  /** What the client said that its answers repeat. */
  readonly echoedFields: JsonObject
}

/** Writes one streamed answer from pieces. Each call gives the text to send, which may be empty. */
export interface StreamWriter {
  write(chunk: ChatChunk): string
  /** Ends the answer well. Call once, and nothing after it. */
  end(usage: Usage | undefined): string
  /** Ends the answer with an error. Call once, and nothing after it. */
  fail(error: ClientError): string
}

/** Passes one streamed answer on, event by event. What need not change stays as it is, byte for byte. */
export interface StreamPassthrough {
  /** What to send for one event. Empty where the client must not see it, and for the vendor's end mark: `end` writes ours. */
  pass(event: StreamEvent): string
  end(usage: Usage | undefined): string
  fail(error: ClientError): string
}

export type ClientError = Pick<Failure, 'status' | 'code' | 'message' | 'type' | 'param'>

export interface ListedModel {
  readonly id: string
  readonly ownedBy: string
}

/** The type of errors that the gateway itself makes. */
const OWN_ERROR_TYPE = 'tollgate_error'

/** Source: platform.openai.com/docs/guides/error-codes */
export const toOpenaiError = (error: ClientError, requestId: string): JsonObject => ({
  error: {
    message: `${error.message} (request id: ${requestId})`,
    type: error.type ?? OWN_ERROR_TYPE,
    param: error.param ?? '',
    code: error.code,
  },
})
