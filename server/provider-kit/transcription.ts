import type { JsonObject } from './chat.ts'
import type { SentFile } from './sent-file.ts'

/** Sound to text, in its own language or in English. Source: platform.openai.com/docs/api-reference/audio */
export interface TranscriptionBody extends JsonObject {
  readonly model: string
  readonly file: SentFile
  /** `json` when absent; `text`, `srt`, `vtt`, `verbose_json`. */
  readonly response_format?: string
  readonly language?: string
}

export interface TranscriptionReply {
  readonly text: string
  readonly language?: string | undefined
  readonly seconds?: number | undefined
  readonly segments?: readonly SpokenSegment[] | undefined
  /** The vendor's answer, where it is JSON that clients of OpenAI can read. */
  readonly json?: JsonObject | undefined
  /** The vendor's answer, where it has the very form that was asked for and is no JSON. */
  readonly written?: string | undefined
}

/** Times in seconds from the start. */
export interface SpokenSegment {
  readonly start: number
  readonly end: number
  readonly text: string
}
