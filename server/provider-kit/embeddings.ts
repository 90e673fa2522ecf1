import type { JsonObject } from './chat.ts'

/** Source: platform.openai.com/docs/api-reference/embeddings */
export interface EmbeddingsBody extends JsonObject {
  readonly model: string
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly encoding_format?: 'float' | 'base64' | null
  readonly dimensions?: number | null
  /** Extension: what the vectors are for, in Gemini's words. */
  readonly task_type?: string
}

export interface EmbeddingsReply {
  readonly model?: string | undefined
  /** One vector per input, in the order of the inputs; base64 text of float32 where the client asked for it and the vendor can. */
  readonly vectors: readonly (readonly number[] | string)[]
}
