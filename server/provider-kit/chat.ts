/**
 * The canonical form of chat, where client dialects and vendors meet.
 * Requests have the shape of OpenAI's chat completions with unknown fields kept; answers are small typed pieces.
 * Source: platform.openai.com/docs/api-reference/chat
 */
export type JsonObject = { readonly [name: string]: unknown }

export interface ChatBody extends JsonObject {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly n?: number | null
  readonly stop?: string | readonly string[] | null
  readonly tools?: readonly ChatTool[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
  readonly response_format?: ResponseFormat
  readonly reasoning_effort?: string | null
}

export interface ChatMessage extends JsonObject {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content?: string | readonly ContentPart[] | null
  readonly name?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
  /** Extension: what the model thought before this assistant turn, with the vendor's signature when it has one. */
  readonly reasoning_content?: string | null
  readonly reasoning_signature?: string
}

export type ContentPart =
  | ({ readonly type: 'text'; readonly text: string; readonly cache_control?: JsonObject } & JsonObject)
  | ({ readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } } & JsonObject)
  | ({ readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } } & JsonObject)
  | ({ readonly type: 'file'; readonly file: JsonObject } & JsonObject)

export interface ChatTool extends JsonObject {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: JsonObject
    readonly strict?: boolean | null
  }
}

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }

export type ResponseFormat =
  | { readonly type: 'text' | 'json_object' }
  | { readonly type: 'json_schema'; readonly json_schema: { readonly name?: string; readonly schema?: JsonObject; readonly strict?: boolean | null } }

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; /** JSON text. */ readonly arguments: string }
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** A whole answer. */
export interface ChatReply {
  readonly id?: string
  readonly model?: string
  readonly text: string
  readonly reasoning?: string
  readonly reasoningSignature?: string
  readonly refusal?: string
  readonly toolCalls?: readonly ToolCall[]
  readonly finish: FinishReason
}

/** One piece of a streamed answer. Pieces of one answer come in the order in which the model produced them. */
export type ChatChunk =
  | { readonly type: 'start'; readonly id?: string; readonly model?: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'reasoning-signature'; readonly signature: string }
  | { readonly type: 'refusal-delta'; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-arguments-delta'; readonly index: number; readonly text: string }
  | { readonly type: 'finish'; readonly reason: FinishReason }
