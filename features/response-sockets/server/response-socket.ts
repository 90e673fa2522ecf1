import { GatewayError } from '#server/core/errors.ts'
import { type BothLanguages, inLanguage } from '#server/core/language.ts'
import type { Logger } from '#server/core/logger.ts'
import type { WebSocketFrame } from '#server/http-client/websocket.ts'
import { isObject, type JsonObject } from '#server/provider-kit/json.ts'
import type { ClientSocket, SocketListener } from '#server/relay/request/client-connection.ts'
import { parseJsonText } from '#server/relay/request/read-json.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'
import { ConnectionState } from './connection-state.ts'
import type { SocketMemory } from './socket-memory.ts'
import { type ResponseSocketContext, runTurn, type TurnResult, warmUp } from './turn.ts'

interface ResponseSocketParts extends ResponseSocketContext {
  readonly userId: number
  readonly memory: SocketMemory
  readonly log: Logger
  readonly onClosed: () => void
}

/** The lifetime of OpenAI's sockets. */
const AGE_MS_MAX = 60 * 60_000
const IDLE_MS_MAX = 15 * 60_000
/** Turns that wait for the current one. */
const QUEUED_MAX = 4

const CLOSE_NORMAL = 1000
const CLOSE_UNSUPPORTED_DATA = 1003
const CLOSE_POLICY_VIOLATION = 1008
const CLOSE_INTERNAL_ERROR = 1011
const REASON_CHARS_MAX = 40

const TOO_OLD = {
  zh: '连接已超过 60 分钟，请重新连接',
  en: 'the connection is older than 60 min; connect again',
}
const IDLE = { zh: '连接空闲过久', en: 'the connection was idle for too long' }
const NOT_TEXT = { zh: '只接受文本帧', en: 'only text frames are accepted' }
const NOT_AN_EVENT = {
  zh: '应为 response.create 事件的 JSON',
  en: 'expected a response.create event as JSON',
}
const TOO_MANY = { zh: '等待中的请求过多', en: 'too many turns are waiting' }

/** Runs one turn after the other. The end of the connection ends the turn, which is charged for its usage. */
export class ResponseSocket implements SocketListener {
  readonly protocol = undefined
  private readonly parts: ResponseSocketParts
  private readonly state: ConnectionState
  private readonly queue: string[] = []
  private readonly ending = new AbortController()
  private socket: ClientSocket | undefined
  private idleTimer: NodeJS.Timeout | undefined
  private ageTimer: NodeJS.Timeout | undefined
  private isTooOld = false
  private running: Promise<void> | undefined
  private closing: Promise<void> | undefined

  constructor(parts: ResponseSocketParts) {
    this.parts = parts
    this.state = new ConnectionState(parts.userId, parts.memory)
  }

  onOpen(socket: ClientSocket): void {
    this.socket = socket
    this.waitForTurn()
    this.ageTimer = setTimeout(() => {
      this.isTooOld = true
      if (!this.running) this.endForAge()
    }, AGE_MS_MAX)
  }

  onMessage(frame: WebSocketFrame): void {
    if (this.ending.signal.aborted) return
    if (typeof frame !== 'string') this.end(CLOSE_UNSUPPORTED_DATA, NOT_TEXT)
    else if (!this.canQueue(frame)) this.end(CLOSE_POLICY_VIOLATION, TOO_MANY)
    else {
      this.queue.push(frame)
      this.running ??= this.runQueue()
    }
  }

  onClose(): Promise<void> {
    this.closing ??= this.leave()
    return this.closing
  }

  private canQueue(frame: string): boolean {
    const { memory, userId } = this.parts
    return this.queue.length < QUEUED_MAX && memory.take(userId, frame.length)
  }

  private dropQueue(): void {
    for (const frame of this.queue.splice(0)) this.forgetFrame(frame)
  }

  private forgetFrame(frame: string): void {
    this.parts.memory.give(this.parts.userId, frame.length)
  }

  private async leave(): Promise<void> {
    this.ending.abort()
    clearTimeout(this.idleTimer)
    clearTimeout(this.ageTimer)
    this.dropQueue()
    await this.running
    this.state.forget()
    this.parts.onClosed()
  }

  private async runQueue(): Promise<void> {
    clearTimeout(this.idleTimer)
    try {
      for (let frame = this.queue.shift(); frame !== undefined; frame = this.queue.shift()) {
        const text = frame
        await this.runFrame(text).finally(() => this.forgetFrame(text))
      }
    } catch (error) {
      // The relay responds and charges in any case, so only a bug gets here.
      this.parts.log.error('a turn failed unexpectedly', { error })
      this.end(CLOSE_INTERNAL_ERROR, { zh: '内部错误', en: 'internal error' })
    }
    this.running = undefined
    if (this.isTooOld) this.endForAge()
    else this.waitForTurn()
  }

  private async runFrame(text: string): Promise<void> {
    const event = parseJsonText(text)
    if (!isObject(event) || event.type !== 'response.create') {
      this.end(CLOSE_POLICY_VIOLATION, NOT_AN_EVENT)
      return
    }
    const { type: _, generate, background: __, stream_id: ___, ...fields } = event
    const known = this.state.resolve(fields)
    const result = await this.runCreate({ ...known, stream: true }, generate === false)
    const isKept = generate === false || fields.store === false
    if (result && isKept) this.state.keep(known, result.response)
    else this.state.forget()
  }

  private async runCreate(body: JsonObject, isWarmUp: boolean): Promise<TurnResult | undefined> {
    const { socket } = this
    if (!socket) return undefined
    const { parts, ending } = this
    return isWarmUp ? warmUp(body, parts, socket) : runTurn(body, { ...parts, signal: ending.signal, socket })
  }

  private waitForTurn(): void {
    if (!this.ending.signal.aborted)
      this.idleTimer = setTimeout(() => this.end(CLOSE_NORMAL, IDLE), IDLE_MS_MAX)
  }

  private endForAge(): void {
    const { client, language } = this.parts
    const json = client.writeError(
      inLanguage(toClientError(new GatewayError('invalid_request', TOO_OLD)), language),
      '',
    )
    const error = { ...(isObject(json.error) && json.error), code: 'websocket_connection_limit_reached' }
    this.socket?.send(JSON.stringify({ type: 'error', status: 400, error }))
    this.end(CLOSE_NORMAL, TOO_OLD)
  }

  private end(code: number, reason: BothLanguages): void {
    this.ending.abort()
    this.dropQueue()
    this.socket?.close(code, reason[this.parts.language].slice(0, REASON_CHARS_MAX))
  }
}
