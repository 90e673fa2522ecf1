import { elapsedMs, everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asObject, isObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import {
  endBackgroundResponse,
  insertBackgroundEvents,
  keepBackgroundResponse,
} from '../queries/background-responses.ts'

export const FINAL_STATUSES: ReadonlySet<unknown> = new Set([
  'completed',
  'incomplete',
  'failed',
  'cancelled',
])

const DURATION_MS_MAX = 60 * 60_000
/** Events are stored this often. */
const FLUSH_MS = 250
/** The process says at least this often that it is alive, and learns whether the response is to be cancelled. */
const ALIVE_MS = 2_000

export interface BackgroundDeps {
  readonly db: Database
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly log: Logger
}

interface StartedResponse {
  readonly id: string
  readonly userId: number
  readonly response: JsonObject
}

/** How a response ends that is not read to its end. */
type CutStatus = 'cancelled' | 'failed'

/** A response that will never be complete. */
export const toFailed = (response: JsonObject): JsonObject => ({
  ...response,
  status: 'failed',
  error: { code: 'server_error', message: 'the gateway stopped before the response was complete' },
})

export const failedEvent = (response: JsonObject): JsonObject => ({ type: 'response.failed', response })

export const toEvent = (event: JsonObject): string =>
  `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`

/** Reads one response to its end and stores its events. */
export class BackgroundRun {
  private readonly started: StartedResponse
  private readonly deps: BackgroundDeps
  private readonly ending = new AbortController()
  private readonly events: string[] = []
  private nextNumber = 0
  private cutStatus: CutStatus | undefined
  private latest: JsonObject
  private running: Promise<void> | undefined
  private flushing: Promise<void> = Promise.resolve()
  private aliveAtMs = elapsedMs()

  constructor(started: StartedResponse, deps: BackgroundDeps) {
    this.started = started
    this.deps = deps
    this.latest = started.response
  }

  get userId(): number {
    return this.started.userId
  }

  get signal(): AbortSignal {
    return this.ending.signal
  }

  /** Resolves when the response is charged and stored. Never rejects. */
  run(request: () => Promise<Response>): Promise<void> {
    this.running = this.follow(request)
    return this.running
  }

  /** Ends the response with a status. Resolves as `run`. */
  async stop(status: CutStatus): Promise<void> {
    this.cut(status)
    await this.running
  }

  private cut(status: CutStatus): void {
    this.cutStatus ??= status
    this.ending.abort()
  }

  private async follow(request: () => Promise<Response>): Promise<void> {
    const timeout = setTimeout(() => this.cut('failed'), DURATION_MS_MAX)
    const stopFlushing = everyMs(FLUSH_MS, () => this.flush())
    try {
      await this.read(await request())
    } catch (error) {
      this.fail(errorMessage(error))
    } finally {
      clearTimeout(timeout)
      await stopFlushing()
    }
    await this.end()
  }

  private async read(response: Response): Promise<void> {
    if (!response.body || !response.headers.get('content-type')?.includes('event-stream')) {
      const { error } = asObject(parseJson(await response.text()))
      this.fail(asObject(error).message, asObject(error).code)
      return
    }
    const framer = createFramer('sse')
    const reader = response.body.getReader()
    for (let isDone = false; !isDone; ) {
      // Resolves when the usage is charged.
      if (this.signal.aborted) return reader.cancel()
      const { value, done } = await reader.read()
      for (const { data } of value ? framer.push(value) : framer.end()) this.add(asObject(parseJson(data)))
      isDone = done
    }
  }

  /** The response of a provider gets the id that the client knows. */
  private add(event: JsonObject): void {
    // An error that follows from the end of the response says nothing new.
    if (!this.signal.aborted) this.append(event)
  }

  private append(event: JsonObject): void {
    const { id } = this.started
    const number = this.nextNumber++
    const response = isObject(event.response) ? { ...event.response, id, background: true } : undefined
    if (response) this.latest = response
    const numbered = { ...event, sequence_number: number, ...(response && { response }) }
    this.events.push(toEvent(numbered))
  }

  private fail(message: unknown, code: unknown = 'server_error'): void {
    const response = { ...this.latest, status: 'failed', error: { code, message } }
    this.add(failedEvent(response))
  }

  private async end(): Promise<void> {
    const response = this.toFinal()
    if (response !== this.latest && response.status === 'failed') this.append(failedEvent(response))
    await this.flush()
    await this.attempt(() =>
      endBackgroundResponse(this.deps.db, {
        id: this.started.id,
        status: String(response.status),
        response_encrypted: this.deps.secrets.encrypt(JSON.stringify(response)),
      }),
    )
  }

  private toFinal(): JsonObject {
    if (FINAL_STATUSES.has(this.latest.status)) return this.latest
    return this.cutStatus === 'cancelled' ? { ...this.latest, status: 'cancelled' } : toFailed(this.latest)
  }

  /** One after the other, so that events are stored in their order. */
  private flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.attempt(() => this.write()))
    return this.flushing
  }

  private async write(): Promise<void> {
    const { db, secrets } = this.deps
    const { id } = this.started
    const events = this.events.splice(0).join('')
    if (events !== '')
      await insertBackgroundEvents(db, {
        response_id: id,
        last_number: this.nextNumber - 1,
        events_encrypted: secrets.encrypt(events),
      })
    if (elapsedMs() - this.aliveAtMs < ALIVE_MS) return
    this.aliveAtMs = elapsedMs()
    const { isCancelled } = await keepBackgroundResponse(db, id, nowSeconds())
    if (isCancelled) this.cut('cancelled')
  }

  private async attempt(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.deps.log.warn('a response in the background could not be stored', {
        response_id: this.started.id,
        reason: errorMessage(error),
      })
    }
  }
}
