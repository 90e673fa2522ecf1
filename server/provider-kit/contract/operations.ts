import { asString } from '../json.ts'
import { invalidRequest } from '../validation.ts'
import type { JsonObject } from './chat.ts'

/** A file that a client sent in a form, or that goes to a vendor in one. */
export class FormFile {
  readonly name: string
  /** As the client says; empty when it does not. */
  readonly mediaType: string
  readonly bytes: Uint8Array<ArrayBuffer>

  constructor(file: { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> }) {
    this.name = file.name
    this.mediaType = file.mediaType
    this.bytes = file.bytes
  }
}

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

/** Source: platform.openai.com/docs/api-reference/completions */
export interface CompletionsBody extends JsonObject {
  readonly model: string
  readonly prompt: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean | null } | null
  readonly max_tokens?: number | null
  readonly n?: number | null
}

/** A file as a data URL. */
export const formFileToDataUrl = ({ mediaType, bytes }: FormFile): string =>
  `data:${mediaType || 'application/octet-stream'};base64,${Buffer.from(bytes).toString('base64')}`

/** Source: platform.openai.com/docs/api-reference/images/create */
export interface ImagesBody extends JsonObject {
  readonly model: string
  readonly prompt: string
  readonly n?: number | null
  /** `WIDTHxHEIGHT`, or a word of the vendor's. */
  readonly size?: string | null
  readonly quality?: string | null
  readonly response_format?: 'url' | 'b64_json' | null
  readonly stream?: boolean | null
}

/** The same for pictures made of others. Numbers are texts here, as they are in the client's form. */
export interface ImageEditsBody extends JsonObject {
  readonly model: string
  readonly prompt: string
  readonly image: readonly FormFile[]
  /** Where its pixels are transparent, the first picture is to be changed. */
  readonly mask?: FormFile
  readonly n?: string
  readonly size?: string
  readonly response_format?: string
}

export interface ImagesReply {
  /** Unix seconds. */
  readonly created?: number | undefined
  readonly images: readonly GeneratedImage[]
  /** Further fields of the vendor's answer that clients of OpenAI know: size, quality, usage … */
  readonly extra?: JsonObject | undefined
}

/** One of the two is there. */
export interface GeneratedImage extends JsonObject {
  readonly url?: string | undefined
  /** Base64. */
  readonly b64_json?: string | undefined
  readonly revised_prompt?: string | undefined
}

/** How many pictures are asked for. */
export const imageCount = ({ n }: Pick<ImagesBody | ImageEditsBody, 'n'>): number => Number(n) || 1

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

/** Documents put in the order of how well they answer a query. Source: api.jina.ai/redoc, docs.cohere.com/reference/rerank */
export interface RerankBody extends JsonObject {
  readonly model: string
  readonly query: string
  readonly documents: readonly RerankDocument[]
  readonly top_n?: number | null
  readonly return_documents?: boolean | null
}

export type RerankDocument = string | JsonObject

export interface RerankReply {
  readonly model?: string | undefined
  readonly results: readonly RerankResult[]
}

export interface RerankResult {
  /** Of the document in the request. */
  readonly index: number
  readonly score: number
  /** As the vendor gave it back. */
  readonly document?: RerankDocument | undefined
}

/** A document as text; an object without a text as JSON. */
export const documentText = (document: RerankDocument): string =>
  typeof document === 'string' ? document : (asString(document.text) ?? JSON.stringify(document))

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
export const audioContentType = (format: string): string =>
  CONTENT_TYPES[format] ?? 'application/octet-stream'

/** Sound to text, in its own language or in English. Source: platform.openai.com/docs/api-reference/audio */
export interface TranscriptionBody extends JsonObject {
  readonly model: string
  readonly file: FormFile
  /** `json` when absent; `text`, `srt`, `vtt`, `verbose_json`. */
  readonly response_format?: string
  readonly language?: string
}

export interface TranscriptionReply {
  readonly text: string
  readonly language?: string | undefined
  readonly seconds?: number | undefined
  readonly segments?: readonly TranscriptSegment[] | undefined
  /** The vendor's answer, where it is JSON that clients of OpenAI can read. */
  readonly json?: JsonObject | undefined
  /** The vendor's answer, where it has the very form that was asked for and is no JSON. */
  readonly formattedText?: string | undefined
}

/** Times in seconds from the start. */
export interface TranscriptSegment {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The inputs as texts. Throws a GatewayError `invalid_request` for token numbers, which only OpenAI reads. */
export function embeddingTexts({ input }: EmbeddingsBody): readonly string[] {
  if (typeof input === 'string') return [input]
  return input.map(item => (typeof item === 'string' ? item : invalidRequest('input', 'token ids', 'text')))
}
