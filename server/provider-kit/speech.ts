import type { JsonObject } from './chat.ts'

/** Source: platform.openai.com/docs/api-reference/audio/createSpeech */
export interface SpeechBody extends JsonObject {
  readonly model: string
  readonly input: string
  readonly voice?: string | JsonObject | null
  readonly response_format?: string | null
  readonly speed?: number | null
  readonly stream_format?: 'audio' | 'sse' | null
}

/** For vendors that put sound into JSON. All others' bytes are passed on as they come. */
export interface SpeechReply {
  readonly contentType: string
  readonly audio: Uint8Array<ArrayBuffer>
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** The `content-type` of sound by OpenAI's name of its format. */
export const soundType = (format: string): string => CONTENT_TYPES[format] ?? 'application/octet-stream'
