import type { JsonObject } from '../json.ts'

/**
 * The canonical form of chat, to which client dialects and providers are converted. Requests have the shape of OpenAI's
 * chat completions and keep unknown fields; responses are small typed chunks.
 * `null` means the same as an absent field.
 * Source: platform.openai.com/docs/api-reference/chat
 */
export interface ChatBody extends JsonObject {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean | null } | null
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly n?: number | null
  readonly stop?: string | readonly string[] | null
  readonly tools?: readonly ChatTool[] | null
  readonly tool_choice?: ToolChoice | null
  readonly parallel_tool_calls?: boolean | null
  readonly response_format?: ResponseFormat | null
  readonly reasoning_effort?: string | null
}

/** One message of a chat request, in OpenAI's shape plus the extensions for reasoning. */
export interface ChatMessage extends JsonObject {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content?: string | readonly ContentPart[] | null
  readonly name?: string | null
  readonly tool_calls?: readonly ToolCall[] | null
  readonly tool_call_id?: string | null
  /** Extension: the reasoning that preceded this assistant turn, with the provider's signature where it has one. */
  readonly reasoning_content?: string | null
  readonly reasoning_signature?: string | null
}

/** One part of a message. `cache_control` is an extension that marks a cache breakpoint. */
export type ContentPart =
  | ({ readonly type: 'text'; readonly text: string; readonly cache_control?: JsonObject } & JsonObject)
  | ({ readonly type: 'image_url'; readonly image_url: ImageUrl | string } & JsonObject)
  | ({
      readonly type: 'input_audio'
      readonly input_audio: { readonly data: string; readonly format: string }
    } & JsonObject)
  | ({ readonly type: 'file'; readonly file: JsonObject } & JsonObject)

/** `url` is an http(s) URL or a data URL. Some clients send the bare URL instead of the object. */
export interface ImageUrl {
  readonly url: string
  readonly detail?: string
}

/** A function that the model may call. `parameters` is a JSON Schema. */
export interface ChatTool extends JsonObject {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: JsonObject
    readonly strict?: boolean | null
  }
}

/** Which tool the model must call, if any. `validated` is Gemini's `auto` with arguments that fit their schema. */
export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | 'validated'
  | { readonly type: 'function'; readonly function: { readonly name: string } }

/** The output format that the client requests. */
export type ResponseFormat =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly json_schema: {
        readonly name?: string
        readonly schema?: JsonObject | null
        readonly strict?: boolean | null
      }
    }

/** A function call of the model. */
export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string /** JSON text. */; readonly arguments: string }
  /** Provider data that must be sent back with the call in the next turn, e.g. `{ google: { thought_signature } }`. */
  readonly extra_content?: JsonObject | undefined
}

/** Why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** A complete response. It has more than one choice only when the request set `n`. */
export interface ChatReply {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly choices: readonly ChatChoice[]
}

/** One choice of a complete response. */
export interface ChatChoice {
  readonly text: string
  readonly reasoning?: string | undefined
  readonly reasoningSignature?: string | undefined
  readonly refusal?: string | undefined
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** The pages that the text cites. */
  readonly citations?: readonly UrlCitation[] | undefined
  /** The searches that the provider ran. */
  readonly searches?: readonly WebSearch[] | undefined
  /** Of the tokens of the text, where the client requests them and the provider tells them. */
  readonly logprobs?: readonly TokenLogprob[] | undefined
  readonly finish: FinishReason
}

/** How likely a token was, with the names of OpenAI's API. */
export interface TokenLogprob extends LikelyToken {
  /** The most likely tokens in its place. */
  readonly top_logprobs: readonly LikelyToken[]
}

interface LikelyToken {
  readonly token: string
  readonly logprob: number
  /** UTF-8. */
  readonly bytes: readonly number[] | null
}

/** A page that a choice cites. `start` and `end` are offsets in its text, where the provider tells them. */
export interface UrlCitation {
  readonly url: string
  readonly title?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** Text of the page. */
  readonly citedText?: string | undefined
}

/** A search that the provider has run. */
export interface WebSearch {
  readonly queries: readonly string[]
  readonly sources: readonly WebSource[]
}

/** A page that a search has found. */
export interface WebSource {
  readonly url: string
  readonly title?: string | undefined
}

/**
 * One chunk of a streamed response. Chunks of one choice arrive in the order in which the model produced them.
 * `choice` counts from 0 and is absent for the first choice; `index` numbers the tool calls of a choice from 0.
 */
export type ChatChunk =
  | { readonly type: 'start'; readonly id?: string | undefined; readonly model?: string | undefined }
  | {
      readonly type: 'text-delta'
      readonly text: string
      readonly choice?: number
      readonly logprobs?: readonly TokenLogprob[] | undefined
    }
  | { readonly type: 'reasoning-delta'; readonly text: string; readonly choice?: number }
  | { readonly type: 'reasoning-signature'; readonly signature: string; readonly choice?: number }
  | { readonly type: 'refusal-delta'; readonly text: string; readonly choice?: number }
  | AudioDelta
  | ToolCallStart
  | {
      readonly type: 'tool-arguments-delta'
      readonly index: number
      readonly text: string
      readonly choice?: number
    }
  /** Follows the text that it belongs to. */
  | { readonly type: 'citation'; readonly citation: UrlCitation; readonly choice?: number }
  | { readonly type: 'web-search'; readonly search: WebSearch; readonly choice?: number }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly choice?: number }

/** Any chunk with content or a finish reason of one choice. */
export type ContentChunk = Exclude<ChatChunk, { type: 'start' }>

/** A fragment of a spoken response: its transcript, and the provider's own object with base64 audio in `data`. */
export interface AudioDelta {
  readonly type: 'audio-delta'
  readonly text: string
  readonly audio: JsonObject
  readonly choice?: number
}

/** The start of a tool call in a streamed response. */
export interface ToolCallStart {
  readonly type: 'tool-call-start'
  readonly index: number
  readonly id: string
  readonly name: string
  /** The arguments that are known at the start. The rest follows in deltas. */
  readonly arguments: string
  readonly extraContent?: JsonObject | undefined
  readonly choice?: number
}
