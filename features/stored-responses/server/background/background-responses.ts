import { nowSeconds, sleepMs } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { inLanguage } from '#server/core/language.ts'
import { deleteExpired } from '#server/db/engine/delete-expired.ts'
import { withExactNumbers } from '#server/provider-kit/exact-numbers.ts'
import { asObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import type { RelayServices } from '#server/relay/relay-services.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import type { LiveCall } from '#server/relay/request/client-presence.ts'
import { DetachedConnection } from '#server/relay/request/detached-connection.ts'
import { senderOf } from '#server/relay/request/read-json.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'
import type { RelayCall, RelayRequest } from '#server/relay/types.ts'
import { formatOfId } from '../formats/formats.ts'
import type { StoredEvents, StoredFormat } from '../formats/stored-format.ts'
import {
  type BackgroundResponseRow,
  cancelBackgroundResponse,
  deleteBackgroundResponse,
  insertBackgroundResponse,
  selectBackgroundEvents,
  selectBackgroundResponse,
  selectBackgroundStatus,
} from '../queries/background-responses.ts'
import { type Reserve, type StateOwner, stateOwnerOf, toOwnerColumns } from '../state-owner.ts'
import { type BackgroundDeps, BackgroundRun, FINAL_STATUSES, STOPPED } from './background-run.ts'

/** Afterwards a complete response is found among all stored ones, without its events. */
const KEPT_SECONDS = 86_400
/** More responses at once are refused. */
const RUNS_MAX = 256
/** Of the runs that others leave free, so that no few users take all. */
const SHARE_PER_USER = 1 / 4
/** Each stream asks the database a few times a second. */
const STREAMS_PER_USER_MAX = 64
/** A response whose process has been silent for longer has failed. */
const HEARTBEAT_SECONDS_MAX = 30
const POLL_MS = 200

interface StartedRequest {
  readonly format: StoredFormat
  readonly request: RelayRequest
  /** The client's own body. */
  readonly backgroundBody: JsonObject
  readonly httpRequest: Request
  readonly connection: ClientConnection
  readonly respond: RelayServices['respond']
}

interface BackgroundEvents {
  readonly id: string
  readonly owner: StateOwner
  /** The number of the last event that the client has. */
  readonly after: number
  readonly signal: AbortSignal
}

/** Who reads the events. The stream ends with their credential, whether or not it began the response. */
export interface EventReader extends Pick<RelayCall, 'caller' | 'client' | 'connection' | 'httpRequest'> {
  readonly arrival: Pick<RelayCall['arrival'], 'requestId' | 'language'>
}

interface BackgroundResponsesDeps extends BackgroundDeps {
  readonly openCalls: RelayServices['openCalls']
}

/**
 * Responses that run on without their clients. Each is a streamed request of its own, whose events are stored, so that every
 * process can say how far it is.
 */
export class BackgroundResponses {
  private readonly deps: BackgroundResponsesDeps
  private readonly runs = new Map<string, BackgroundRun>()
  private readonly streams = new Map<number, number>()
  private isStopped = false

  constructor(deps: BackgroundResponsesDeps) {
    this.deps = deps
  }

  /** Begins the response and returns it as it is. Throws GatewayError `server_busy` when too many run. */
  async start({
    format,
    request,
    backgroundBody,
    httpRequest,
    connection,
    respond,
  }: StartedRequest): Promise<Response> {
    const { secrets } = this.deps
    const { requestId, caller, clientBody } = request
    this.requireRoom(caller.userId)
    const { background: _, ...body } = backgroundBody
    const text = JSON.stringify(withExactNumbers({ ...body, stream: true }, backgroundBody))
    const memory = connection.openMemory(senderOf(caller))
    memory.take(text.length)
    const id = format.toId(requestId)
    const owner = stateOwnerOf(caller)
    const response = format.events.toStarted(firstResponse(request, format))
    const run = new BackgroundRun({ id, userId: caller.userId, response, format: format.events }, this.deps)
    // Counted before anything is awaited, so that simultaneous requests count each other.
    this.runs.set(id, run)
    await this.store({
      id,
      ...toOwnerColumns(owner),
      response_encrypted: secrets.encrypt(JSON.stringify(response)),
      status: 'in_progress',
      is_cancelled: 0,
      alive_at: nowSeconds(),
      expires_at: nowSeconds() + KEPT_SECONDS,
    }).catch((error: unknown) => {
      memory.release()
      throw error
    })
    const detached = new DetachedConnection({
      requestId,
      url: connection.url,
      clientIp: connection.clientIp(),
      text,
      memory,
      isBackground: true,
    })
    const { url, headers } = httpRequest
    const inner = new Request(url, { method: 'POST', headers: new Headers(headers), signal: run.signal })
    void run.run(createCall(respond, inner, detached)).finally(() => this.runs.delete(id))
    return clientBody.stream === true
      ? this.stream(id, -1, { ...request, connection, httpRequest, arrival: request })
      : Response.json(response)
  }

  /** The response as it is now. Undefined when the user has no such response in the background. */
  async find(id: string, owner: StateOwner, reserve: Reserve): Promise<JsonObject | undefined> {
    const row = await selectBackgroundResponse(this.deps.db, id, owner)
    reserve(row?.response_encrypted.length ?? 0)
    return row && this.toResponse(row)
  }

  delete(id: string, owner: StateOwner): Promise<boolean> {
    void this.runs.get(id)?.stop('cancelled')
    return deleteBackgroundResponse(this.deps.db, id, owner)
  }

  /** Ends the response, which is charged for its usage. An ended one stays as it is. */
  async cancel(id: string, owner: StateOwner, reserve: Reserve): Promise<JsonObject | undefined> {
    const found = await this.find(id, owner, reserve)
    if (!found || FINAL_STATUSES.has(found.status)) return found
    await cancelBackgroundResponse(this.deps.db, id)
    void this.runs.get(id)?.stop('cancelled')
    return { ...found, status: 'cancelled' }
  }

  /**
   * The events after a number, as they come, until the response or the client ends. Throws GatewayError `server_busy` when
   * the user reads too many.
   */
  stream(id: string, firstAfter: number, reader: EventReader): Response {
    const { caller, connection, httpRequest } = reader
    const owner = stateOwnerOf(caller)
    let after = firstAfter
    let rejection: string | undefined
    const revoking = new AbortController()
    const signal = AbortSignal.any([httpRequest.signal, revoking.signal])
    const endCount = this.beginStream(caller.userId)
    const { openCalls } = this.deps
    const call: LiveCall = {
      ...{ caller, connection },
      revoke(reason) {
        rejection = writeRejection(reason, reader)
        revoking.abort()
      },
    }
    openCalls.add(call)
    const endStream = () => {
      openCalls.delete(call)
      endCount()
    }
    const encoder = new TextEncoder()
    const { end } = formatOfId(id).events
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          const next = await this.nextEvents({ id, owner, after, signal })
          after = next.after
          const text = rejection ?? (next.isOver ? next.text + end : next.text)
          if (text !== '') controller.enqueue(encoder.encode(text))
          if (!next.isOver && rejection === undefined) return
          endStream()
          controller.close()
        },
        cancel: endStream,
      },
      { highWaterMark: 0 },
    )
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    })
  }

  /** Ends all responses, for a shutdown. Resolves when they are charged. */
  async stop(): Promise<void> {
    this.isStopped = true
    await Promise.all([...this.runs.values()].map(run => run.stop('failed')))
  }

  private async store(row: BackgroundResponseRow): Promise<void> {
    const { db } = this.deps
    try {
      await deleteExpired(db, { table: 'background_responses', key: 'id' }, nowSeconds())
      await insertBackgroundResponse(db, row)
    } catch (error) {
      this.runs.delete(row.id)
      throw error
    }
  }

  /** Counts a stream. Returns the function that ends it, which may be called again. */
  private beginStream(userId: number): () => void {
    const count = this.streams.get(userId) ?? 0
    if (count >= STREAMS_PER_USER_MAX) throw tooMany()
    this.streams.set(userId, count + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const left = (this.streams.get(userId) ?? 1) - 1
      if (left > 0) this.streams.set(userId, left)
      else this.streams.delete(userId)
    }
  }

  private requireRoom(userId: number): void {
    const ofUser = [...this.runs.values()].filter(run => run.userId === userId).length
    const streams = this.streams.get(userId) ?? 0
    const free = RUNS_MAX - (this.runs.size - ofUser)
    const isFull = ofUser >= free * SHARE_PER_USER
    if (this.isStopped || isFull || streams >= STREAMS_PER_USER_MAX) throw tooMany()
  }

  /** Waits until there are events after a number. */
  private async nextEvents({ id, owner, after, signal }: BackgroundEvents) {
    const { db, secrets } = this.deps
    while (!signal.aborted) {
      // Read first: events that come before the end are never missed.
      const found = await selectBackgroundStatus(db, id, owner)
      const rows = await selectBackgroundEvents(db, id, after)
      const { events: format } = formatOfId(id)
      const text = rows.map(row => eventsAfter(secrets.decrypt(row.events_encrypted), after, format)).join('')
      const last = Number(rows.at(-1)?.last_number ?? after)
      const hasEnded = !found || FINAL_STATUSES.has(found.status)
      if (text !== '') return { text, after: last, isOver: false }
      if (hasEnded) return { text, after, isOver: true }
      if (isAbandoned(found)) return { text: await this.writeFailure(id, owner, after), after, isOver: true }
      await sleepMs(POLL_MS)
    }
    return { text: '', after, isOver: true }
  }

  /** The last event of a response whose process died before it could write one. */
  private async writeFailure(id: string, owner: StateOwner, after: number): Promise<string> {
    // Once for each stream.
    const response = await this.find(id, owner, () => undefined)
    const { events: format } = formatOfId(id)
    const event = response && format.toLastEvent(response)
    return event ? format.write(format.toNumbered(event, after + 1, id)) : ''
  }

  private toResponse({ id, response_encrypted, status, alive_at }: BackgroundResponseRow): JsonObject {
    const response = asObject(parseJson(this.deps.secrets.decrypt(response_encrypted)))
    if (FINAL_STATUSES.has(status)) return response
    return isAbandoned({ alive_at })
      ? formatOfId(id).events.toFailed(response, STOPPED)
      : { ...response, status }
  }
}

const writeRejection = (reason: GatewayError, { client, arrival }: EventReader): string => {
  const error = inLanguage(toClientError(reason), arrival.language)
  return `data: ${JSON.stringify(client.writeError(error, arrival.requestId))}\n\n`
}

/** Whether the process that reads the response has stopped. */
const isAbandoned = ({ alive_at }: Pick<BackgroundResponseRow, 'alive_at'>): boolean =>
  nowSeconds() - Number(alive_at) > HEARTBEAT_SECONDS_MAX

/** A function of its own: a closure in `start` would keep the body for as long as the response lasts. */
const createCall =
  (respond: StartedRequest['respond'], request: Request, connection: DetachedConnection) =>
  (): Promise<Response> =>
    respond(request, connection).finally(() => connection.releaseMemory())

/** The response as its stream begins. */
function firstResponse({ client, context }: RelayRequest, { events }: StoredFormat): JsonObject {
  const text = client.chat.createWriter(context).write({ type: 'start' })
  const [event = ''] = text.split('\n\n')
  return events.responseOf(readEvent(event))
}

const readEvent = (event: string): JsonObject =>
  asObject(parseJson(event.slice(event.indexOf('data: ') + 'data: '.length)))

const eventsAfter = (text: string, after: number, { numberOf }: StoredEvents): string =>
  text
    .split('\n\n')
    .filter(event => event !== '' && numberOf(readEvent(event)) > after)
    .map(event => `${event}\n\n`)
    .join('')

const tooMany = (): GatewayError =>
  new GatewayError('server_busy', {
    zh: '后台响应过多，请稍后重试',
    en: 'too many responses run in the background; try again later',
  })
