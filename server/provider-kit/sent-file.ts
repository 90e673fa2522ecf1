/** A file that a client sent in a form, or that goes to a vendor in one. */
export class SentFile {
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
