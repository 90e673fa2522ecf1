import type { Usage } from '../kernel/usage.ts'
import type { ChatBody, ChatChunk, ChatReply, JsonObject } from './chat.ts'
import type { EmbeddingsBody, EmbeddingsReply } from './embeddings.ts'
import type { DialectName, StreamEvent } from './exchange.ts'
import type { Failure } from './failure.ts'

/** One way in which clients speak: from their body to the canonical form, and from the canonical form to their answer. */
export interface ClientDialect {
  readonly name: DialectName
  readonly chat: ChatDialect
  readonly embeddings?: EmbeddingsDialect
  /** The body of an error answer. A GatewayError and a Failure both fit. */
  writeError(error: ClientError, requestId: string): JsonObject
  /** The body of the model list. */
  writeModelList(models: readonly ListedModel[]): JsonObject
  /** The body that describes one model of the list. */
  writeModel(model: ListedModel): JsonObject
}

export interface ChatDialect {
  /** The `content-type` of a streamed answer. */
  readonly streamContentType: string
  /** Throws a GatewayError `invalid_request` or `model_required` that says what was found and what was needed. */
  parse(json: unknown, hints?: ParseHints): ParsedBody<ChatBody>
  writeReply(reply: ChatReply, usage: Usage, context: AnswerContext): JsonObject
  openWriter(context: AnswerContext): StreamWriter
  /** For answers whose bytes are in this dialect already. */
  openPassage(context: AnswerContext): StreamPassage
}

export interface EmbeddingsDialect {
  parse(json: unknown, hints?: ParseHints): ParsedBody<EmbeddingsBody>
  writeReply(reply: EmbeddingsReply, usage: Usage, request: ParsedBody<EmbeddingsBody>): JsonObject
}

/** What stands in the address instead of the body. */
export interface ParseHints {
  readonly model?: string | undefined
  readonly isStream?: boolean | undefined
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
}

export interface AnswerContext {
  readonly requestId: string
  /** The name as the client wrote it: for answers in which the vendor names no model. */
  readonly model: string
  readonly nowSeconds: number
  readonly wantsUsage: boolean
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
export interface StreamPassage {
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
