/**
 * A file in a multipart form, received from a client or sent to a provider. Its bytes are no field, so that whatever looks
 * through a body does not go through millions of numbers.
 */
export class FormFile {
  readonly name: string
  /** The client's declaration. Empty when there is none. */
  readonly mediaType: string
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(file: { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> }) {
    this.name = file.name
    this.mediaType = file.mediaType
    this.#bytes = file.bytes
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes
  }
}

/** Encodes a file as a base64 data URL. */
export const formFileToDataUrl = ({ mediaType, bytes }: FormFile): string =>
  `data:${mediaType || 'application/octet-stream'};base64,${Buffer.from(bytes).toString('base64')}`
