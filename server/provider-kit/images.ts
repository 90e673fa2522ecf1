import type { JsonObject } from './chat.ts'
import type { SentFile } from './sent-file.ts'

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
  readonly image: readonly SentFile[]
  /** Where its pixels are transparent, the first picture is to be changed. */
  readonly mask?: SentFile
  readonly n?: string
  readonly size?: string
  readonly response_format?: string
}

export interface ImagesReply {
  /** Unix seconds. */
  readonly created?: number | undefined
  readonly pictures: readonly Picture[]
  /** Further fields of the vendor's answer that clients of OpenAI know: size, quality, usage … */
  readonly extra?: JsonObject | undefined
}

/** One of the two is there. */
export interface Picture extends JsonObject {
  readonly url?: string | undefined
  /** Base64. */
  readonly b64_json?: string | undefined
  readonly revised_prompt?: string | undefined
}

/** How many pictures are asked for. */
export const countOfPictures = ({ n }: Pick<ImagesBody | ImageEditsBody, 'n'>): number => Number(n) || 1
