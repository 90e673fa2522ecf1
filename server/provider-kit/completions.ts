import type { JsonObject } from './chat.ts'

/** Source: platform.openai.com/docs/api-reference/completions */
export interface CompletionsBody extends JsonObject {
  readonly model: string
  readonly prompt: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean | null } | null
  readonly max_tokens?: number | null
  readonly n?: number | null
}
