import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply, JsonObject } from '../../provider-kit/chat.ts'
import type {
  AddressParts,
  AnswerContext,
  ChatDialect,
  ClientDialect,
  ParsedBody,
  StreamPassage,
  StreamWriter,
  WholeDialect,
  WrittenBody,
} from '../../provider-kit/client-dialect.ts'
import type { DialectName, Exchange } from '../../provider-kit/exchange.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import type { Egress } from '../upstream/safe-fetch.ts'

export type OperationName =
  | 'chat'
  | 'completions'
  | 'token-count'
  | 'embeddings'
  | 'images'
  | 'image edits'
  | 'speech'
  | 'transcription'
  | 'translation'
  | 'rerank'
  | 'moderation'
  | 'realtime'

/** Bodies and replies are the operation's own; the pipeline carries them unopened from its one end to the other. */
export type OperationExchange = Exchange<JsonObject, unknown, ChatChunk>

/** What can be asked of a model: how clients ask it, which vendors can, and how to count what they do not count. */
export interface Operation {
  readonly name: OperationName
  /** Clients send a form, whose fields and files then stand where JSON would. */
  readonly hasFormBody?: true
  /** Goes on over a socket, both ways, until one side ends it. Nothing is read before. */
  readonly isConversation?: true
  /** Undefined: clients of this dialect cannot ask for it. */
  findDialect(client: ClientDialect): OperationDialect | undefined
  /** Undefined: this vendor cannot do it. */
  findAdapter(provider: Provider): OperationExchange | undefined
  /** The vendor speaks the client's dialect itself, with this model. */
  findNativeAdapter?(provider: Provider, client: DialectName, model: string): OperationExchange | undefined
  /** Estimated tokens of what is sent. */
  inputTokens(body: JsonObject): number
  /** How many of them are sound. Absent: none. */
  inputAudioTokens?(body: JsonObject): number
  /** The texts in which sensitive words are looked for. Absent: in none. */
  promptTexts?(body: JsonObject): Iterable<string>
  /** Estimated tokens of what came back whole. */
  outputTokens(reply: unknown): number
  /** Pictures that are asked for, each counted by what its size and quality make of a plain one. */
  imageUnits?(body: JsonObject): number
  /** What a whole reply used, where the vendor's figures are not all. */
  readUsage?(reply: unknown, body: JsonObject, usage: Usage | undefined): Usage | undefined
  /** What is to be fetched before a reply can be written as the client asked for it. */
  completeReply?(reply: unknown, body: JsonObject, egress: Egress): Promise<unknown>
  /** Something came back that a client would pay for. */
  hasOutput(reply: unknown): boolean
  /** Reasoning as text between tags, for channels set so. */
  withThinkTags?(reply: unknown): unknown
  /** The pieces of a whole reply, for a client that asked for a stream. Absent: the operation never streams. */
  toChunks?(reply: unknown): readonly ChatChunk[]
  /** Gathers the pieces of a stream, for a client that asked for a whole answer. */
  createCollector?(): { add(chunk: ChatChunk): void; reply(): unknown }
}

/** What was asked, in the operation's canonical form, and what an answer's writer needs to know beside it. */
export interface ParsedRequest extends ParsedBody<JsonObject> {
  readonly context: AnswerContext
}

export interface OperationDialect {
  parse(json: unknown, address?: AddressParts): ParsedBody<JsonObject>
  writeReply(reply: unknown, usage: Usage, asked: ParsedRequest): JsonObject | WrittenBody
  readonly stream?: OperationStream
}

/** The part of a client's dialect that is answered at once. */
export const jsonDialect = <Body extends JsonObject, Reply>(
  dialect: WholeDialect<Body, Reply> | undefined,
): OperationDialect | undefined =>
  dialect && {
    parse: dialect.parse,
    writeReply: (reply: Reply, usage, asked: ParsedRequest & ParsedBody<Body>) =>
      dialect.writeReply(reply, usage, asked),
  }

const streamable = new WeakMap<object, OperationDialect>()

/** The part of a client's dialect that may be streamed. Made once for each dialect. */
export function chatDialect<Body extends JsonObject>(
  dialect: ChatDialect<Body> | undefined,
): OperationDialect | undefined {
  const known = dialect && streamable.get(dialect)
  if (known || !dialect) return known
  const made: OperationDialect = {
    parse: dialect.parse,
    writeReply: (reply: ChatReply, usage, { context }) => dialect.writeReply(reply, usage, context),
    stream: {
      contentType: dialect.streamType,
      openWriter: dialect.openWriter,
      openPassage: dialect.openPassage,
    },
  }
  streamable.set(dialect, made)
  return made
}

export interface OperationStream {
  contentType(context: AnswerContext): string
  openWriter(context: AnswerContext): StreamWriter
  openPassage(context: AnswerContext): StreamPassage
}
