interface RefusalOptions {
  readonly cause?: unknown
  /** Where the platform's clients are told a status of its own. */
  readonly status?: number
  /** The fault lies behind the gateway, not in what was asked. */
  readonly isOfUpstream?: boolean
}

const BAD_REQUEST = 400

/** Why a task is not taken: a word that clients of the platform know, and a sentence for people. */
export class TaskRefusal extends Error {
  override readonly name = 'TaskRefusal'
  readonly word: string
  readonly status: number
  readonly isOfUpstream: boolean

  constructor(word: string, message = '', options: RefusalOptions = {}) {
    super(message, { cause: options.cause })
    this.word = word
    this.status = options.status ?? BAD_REQUEST
    this.isOfUpstream = options.isOfUpstream ?? false
  }
}
