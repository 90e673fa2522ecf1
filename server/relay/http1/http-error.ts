/** A connection or an answer failed. `code`: the system's own word, as `networkReason` shows it. */
export class WireError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
