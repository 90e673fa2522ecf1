import type { JsonObject } from './chat.ts'

/** Source: platform.openai.com/docs/api-reference/moderations */
export interface ModerationBody extends JsonObject {
  readonly model: string
  readonly input: string | readonly string[] | readonly JsonObject[]
}

export interface ModerationReply {
  /** One per input. */
  readonly results: readonly JsonObject[]
  readonly id?: string | undefined
  readonly model?: string | undefined
}
