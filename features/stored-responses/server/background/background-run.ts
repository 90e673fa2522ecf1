import { elapsedMs, everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asObject, isObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import type { ResponseCollector } from '#server/relay/hooks.ts'
import type { ResponseError, StoredEvents } from '../formats/stored-format.ts'
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
  ...['requires_action', 'requires_continuation', 'budget_exceeded'],
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
  readonly format: StoredEvents
}

/** How a response ends that is not read to its end. */
type CutStatus = 'cancelled' | 'failed'

/** For a response that will never be complete. */
export const STOPPED: ResponseError = {
  code: 'server_error',
  message: 'the gateway stopped before the response was complete',
}

/** Reads one response to its end and stores its events. */
export class BackgroundRun {
  private readonly started: StartedResponse
  private readonly deps: BackgroundDeps
  private readonly ending = new AbortController()
  private readonly events: string[] = []
  private nextNumber = 0
  private cutStatus: CutStatus | undefined
  private readonly collector: ResponseCollector
  private running: Promise<void> | undefined
  private flushing: Promise<void> = Promise.resolve()
  private aliveAtMs = elapsedMs()

  constructor(started: StartedResponse, deps: BackgroundDeps) {
    this.started = started
    this.deps = deps
    this.collector = started.format.createCollector()
  }

  get userId(): number {
    return this.started.userId
  }

  private get latest(): JsonObject {
    return this.collector.response ?? this.started.response
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
      this.fail({ ...STOPPED, message: errorMessage(error) })
    } finally {
      clearTimeout(timeout)
      await stopFlushing()
    }
    await this.end()
  }

  private async read(response: Response): Promise<void> {
    if (!response.body || !response.headers.get('content-type')?.includes('event-stream')) {
      const {
        message,
        status,
        code = STOPPED.code,
      } = asObject(asObject(parseJson(await response.text())).error)
      this.fail({ message, code: status ?? code })
      return
    }
    const framer = createFramer('sse')
    const reader = response.body.getReader()
    for (let isDone = false; !isDone; ) {
      // Resolves when the usage is charged.
      if (this.signal.aborted) return reader.cancel()
      const { value, done } = await reader.read()
      for (const { data } of value ? framer.push(value) : framer.end()) this.add(parseJson(data))
      isDone = done
    }
  }

  private add(event: unknown): void {
    // An error that follows from the end of the response says nothing new.
    if (!this.signal.aborted && isObject(event)) this.append(event)
  }

  private append(event: JsonObject): void {
    const { id, format } = this.started
    const numbered = format.toNumbered(event, this.nextNumber++, id)
    this.collector.add(numbered)
    this.events.push(format.write(numbered))
  }

  private fail(error: ResponseError): void {
    const { format } = this.started
    this.add(format.toLastEvent(format.toFailed(this.latest, error)))
  }

  private async end(): Promise<void> {
    const response = this.toFinal()
    const lastEvent = response === this.latest ? undefined : this.started.format.toLastEvent(response)
    if (lastEvent) this.append(lastEvent)
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
    return this.cutStatus === 'cancelled'
      ? { ...this.latest, status: 'cancelled' }
      : this.started.format.toFailed(this.latest, STOPPED)
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
