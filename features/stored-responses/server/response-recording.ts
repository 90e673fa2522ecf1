import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import type { Recording, ResponseCollector } from '#server/relay/hooks.ts'
import {
  completeStoredResponse,
  deleteStoredResponse,
  insertStoredResponse,
  type StoredResponseRow,
} from './queries/stored-responses.ts'
import type { StateOwner } from './state-owner.ts'

/** Statuses of responses that later requests may continue. */
const COMPLETE: ReadonlySet<unknown> = new Set([
  'completed',
  'incomplete',
  ...['requires_action', 'budget_exceeded'],
])

/** Several as one. A response that has failed is dropped by all. */
export const combineRecordings = (recordings: readonly Recording[]): Recording => ({
  begin() {
    for (const recording of recordings) recording.begin()
  },
  collector: recordings.find(({ collector }) => collector)?.collector,
  async complete(response) {
    const isComplete = COMPLETE.has(response.status)
    await Promise.all(recordings.map(one => (isComplete ? one.complete(response) : one.drop())))
  },
  async drop() {
    await Promise.all(recordings.map(one => one.drop()))
  },
})

interface RecordingDeps {
  readonly db: Database
  readonly secrets: Pick<Secrets, 'encrypt'>
  readonly log: Logger
  /** Undefined where the last event of a stream repeats the response. */
  readonly collector: ResponseCollector | undefined
  /** Called with the stored size. Never rejects. */
  readonly onStored: (bytes: number) => Promise<void>
}

/** Shorter input is kept until the response is complete, since two writes cost more. */
const SHORT_CHARS_MAX = 8_192

/** Stores one response. Failures are logged: the client has paid for the response and gets it in any case. */
export class ResponseRecording implements Recording {
  readonly collector: ResponseCollector | undefined
  private readonly deps: RecordingDeps
  private readonly id: string
  private readonly owner: StateOwner
  private readonly inputBytes: number
  /** Undefined once it is written. */
  private row: StoredResponseRow | undefined
  private inserting: Promise<void> | undefined
  private isOver = false

  /** `row` has no response yet. */
  constructor(row: StoredResponseRow, owner: StateOwner, deps: RecordingDeps) {
    this.row = row
    this.id = row.id
    this.owner = owner
    this.inputBytes = row.bytes
    this.deps = deps
    this.collector = deps.collector
  }

  begin(): void {
    if (!this.row || this.row.input_encrypted.length <= SHORT_CHARS_MAX) return
    this.inserting = this.attempt(insertStoredResponse(this.deps.db, this.row))
    this.row = undefined
  }

  async complete(response: JsonObject): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    const { db, secrets, onStored } = this.deps
    // A provider has ids of its own.
    const encrypted = secrets.encrypt(JSON.stringify({ ...response, id: this.id }))
    const bytes = this.inputBytes + encrypted.length
    const { row } = this
    if (row) await this.attempt(insertStoredResponse(db, { ...row, response_encrypted: encrypted, bytes }))
    else {
      await this.inserting
      await this.attempt(completeStoredResponse(db, { id: this.id, response_encrypted: encrypted, bytes }))
    }
    await onStored(bytes)
  }

  async drop(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    if (!this.inserting) return
    await this.inserting
    await this.attempt(deleteStoredResponse(this.deps.db, this.id, this.owner))
  }

  private async attempt(write: Promise<unknown>): Promise<void> {
    try {
      await write
    } catch (error) {
      this.deps.log.warn('a response could not be stored', {
        response_id: this.id,
        reason: errorMessage(error),
      })
    }
  }
}
