import type { ImageUrl } from './chat.ts'

export interface InlineMedia {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/

/** The content of a base64 data URL. Undefined for any other address. */
export function parseDataUrl(url: string): InlineMedia | undefined {
  const match = DATA_URL.exec(url.slice(0, 256))
  return match
    ? { mediaType: match[1] || 'application/octet-stream', data: url.slice(match[0].length) }
    : undefined
}

/** Some clients send the bare address instead of the object. */
export const addressOf = (image: ImageUrl | string): string => (typeof image === 'string' ? image : image.url)
