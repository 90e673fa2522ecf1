import { asString, type FormFile, type JsonObject } from '../json.ts'
import { invalidRequest } from '../validation.ts'

/** Encodes a file as a base64 data URL. */
export const formFileToDataUrl = ({ mediaType, bytes }: FormFile): string =>
  `data:${mediaType || 'application/octet-stream'};base64,${Buffer.from(bytes).toString('base64')}`

/** Body of an embeddings request. Source: platform.openai.com/docs/api-reference/embeddings */
export interface EmbeddingsBody extends JsonObject {
  readonly model: string
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly encoding_format?: 'float' | 'base64' | null
  readonly dimensions?: number | null
  /** Extension: the purpose of the vectors, in Gemini's terms. */
  readonly task_type?: string
}

/** Result of an embeddings request. */
export interface EmbeddingsReply {
  readonly model?: string | undefined
  /**
   * One vector per input, in input order. A text is base64 of little-endian float32, where the client requests it and
   * the provider supports it.
   */
  readonly vectors: readonly (readonly number[] | string)[]
}

/** The inputs as texts. Throws a GatewayError `invalid_request` for token ids, which only OpenAI accepts. */
export function embeddingTexts({ input }: EmbeddingsBody): readonly string[] {
  if (typeof input === 'string') return [input]
  return input.map(item =>
    typeof item === 'string'
      ? item
      : invalidRequest('input', { zh: ' Token ID 数组', en: 'token IDs' }, { zh: '文本', en: 'text' }),
  )
}

/** Body of a text completions request. Source: platform.openai.com/docs/api-reference/completions */
export interface CompletionsBody extends JsonObject {
  readonly model: string
  readonly prompt: string | readonly string[] | readonly number[] | readonly (readonly number[])[]
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean | null } | null
  readonly max_tokens?: number | null
  readonly n?: number | null
}

/** Body of an image generation request. Source: platform.openai.com/docs/api-reference/images/create */
export interface ImagesBody extends JsonObject {
  readonly model: string
  readonly prompt: string
  readonly n?: number | null
  /** `WIDTHxHEIGHT`, or a keyword of the provider. */
  readonly size?: string | null
  readonly quality?: string | null
  readonly response_format?: 'url' | 'b64_json' | null
  readonly stream?: boolean | null
}

/** The fields of an image edit form. Numbers are texts, as in the client's form. */
export interface ImageEditsBody extends JsonObject {
  readonly model: string
  readonly prompt: string
  readonly image: readonly FormFile[]
  /** Its transparent pixels mark where the first image is to be edited. */
  readonly mask?: FormFile
  readonly n?: string
  readonly size?: string
  readonly response_format?: string
}

/** The fields of an image variation form. Numbers are texts, as in the client's form. */
export interface ImageVariationsBody extends JsonObject {
  readonly model: string
  readonly image: FormFile
  readonly n?: string
  readonly size?: string
  readonly response_format?: string
}

/** Result of an image generation, edit or variation. */
export interface ImagesReply {
  /** Unix time in seconds. */
  readonly created?: number | undefined
  readonly images: readonly GeneratedImage[]
  /** Further response fields that OpenAI clients know: size, quality, usage and so on. */
  readonly extra?: JsonObject | undefined
}

/** One generated image. Either `url` or `b64_json` is present. */
export interface GeneratedImage extends JsonObject {
  readonly url?: string | undefined
  /** Base64. */
  readonly b64_json?: string | undefined
  readonly revised_prompt?: string | undefined
}

/** The number of images requested; 1 by default. */
export const imageCount = ({ n }: { readonly n?: string | number | null }): number => Number(n) || 1

/** Body of a moderation request. Source: platform.openai.com/docs/api-reference/moderations */
export interface ModerationBody extends JsonObject {
  readonly model: string
  readonly input: string | readonly string[] | readonly JsonObject[]
}

/** Result of a moderation request. */
export interface ModerationReply {
  /** One result per input. */
  readonly results: readonly JsonObject[]
  readonly id?: string | undefined
  readonly model?: string | undefined
}

/**
 * Body of a rerank request, which sorts documents by relevance to a query. Source: api.jina.ai/redoc,
 * docs.cohere.com/reference/rerank
 */
export interface RerankBody extends JsonObject {
  readonly model: string
  readonly query: string
  readonly documents: readonly RerankDocument[]
  readonly top_n?: number | null
  readonly return_documents?: boolean | null
}

/** A document as text, or as an object with a field `text`. */
export type RerankDocument = string | JsonObject

/** Result of a rerank request. */
export interface RerankReply {
  readonly model?: string | undefined
  readonly results: readonly RerankResult[]
}

/** One ranked document. A higher `score` means more relevant. */
export interface RerankResult {
  /** The index of the document in the request. */
  readonly index: number
  readonly score: number
  /** The document as the provider returned it. */
  readonly document?: RerankDocument | undefined
}

/** The text of a document. An object without a text is serialized as JSON. */
export const documentText = (document: RerankDocument): string =>
  typeof document === 'string' ? document : (asString(document.text) ?? JSON.stringify(document))

/** Body of a text-to-speech request. Source: platform.openai.com/docs/api-reference/audio/createSpeech */
export interface SpeechBody extends JsonObject {
  readonly model: string
  readonly input: string
  readonly voice?: string | JsonObject | null
  readonly response_format?: string | null
  readonly speed?: number | null
  readonly stream_format?: 'audio' | 'sse' | null
}

/** Result of a text-to-speech request, for providers that return audio inside JSON. Other providers' bytes pass through. */
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

/** The `content-type` for OpenAI's name of an audio format. */
export const audioContentType = (format: string): string =>
  CONTENT_TYPES[format] ?? 'application/octet-stream'

/** The fields of a transcription or translation form. Source: platform.openai.com/docs/api-reference/audio */
export interface TranscriptionBody extends JsonObject {
  readonly model: string
  readonly file: FormFile
  /** `json` by default; else `text`, `srt`, `vtt` or `verbose_json`. */
  readonly response_format?: string
  readonly language?: string
}

/** Result of a transcription or translation. */
export interface TranscriptionReply {
  readonly text: string
  readonly language?: string | undefined
  readonly seconds?: number | undefined
  readonly segments?: readonly TranscriptSegment[] | undefined
  /** The provider's response, where it is JSON that OpenAI clients can read. */
  readonly json?: JsonObject | undefined
  /** The provider's response, where it is text in the requested format. */
  readonly formattedText?: string | undefined
}

/** One transcript segment. Times are seconds from the start. */
export interface TranscriptSegment {
  readonly start: number
  readonly end: number
  readonly text: string
}
