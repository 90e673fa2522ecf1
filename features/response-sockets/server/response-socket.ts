import { type ErrorCode, GatewayError } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { type BothLanguages, inLanguage, type Language } from '#server/core/language.ts'
import type { Logger } from '#server/core/logger.ts'
import type { WebSocketFrame } from '#server/http-client/websocket.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import { isObject } from '#server/provider-kit/json.ts'
import type { RelayServices } from '#server/relay/relay-services.ts'
import type {
  ClientConnection,
  ClientSocket,
  SocketListener,
} from '#server/relay/request/client-connection.ts'
import { senderOf } from '#server/relay/request/read-json.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'
import { ConnectionState } from './connection-state.ts'
import type { SocketMemory } from './socket-memory.ts'
import { NOT_AN_EVENT, runTurn, Turn } from './turn.ts'

interface ResponseSocketParts {
  readonly respond: RelayServices['respond']
  readonly client: ClientDialect
  readonly language: Language
  readonly url: URL
  /** Of the handshake: the key and the marks of the session. */
  readonly headers: Headers
  readonly clientIp: string
  readonly userId: number
  /** For conversations that are kept between turns. */
  readonly memory: SocketMemory
  /** For frames, which are bodies of requests. */
  readonly openMemory: ClientConnection['openMemory']
  /** Tells when the caller may not go on, until the returned function is called. */
  readonly checkCaller: (onRejected: (reason: GatewayError) => void) => () => void
  readonly log: Logger
  readonly onClosed: () => void
}

/** The lifetime of OpenAI's sockets. */
const AGE_MS_MAX = 60 * 60_000
const IDLE_MS_MAX = 15 * 60_000
/** Turns that wait for the current one. */
const QUEUED_MAX = 4

const STATUS_BAD_REQUEST = 400

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
const TOO_MANY = { zh: '等待中的请求过多', en: 'too many turns are waiting' }
const NOT_ALLOWED = { zh: '密钥已无法使用', en: 'the key may no longer be used' }

/** Errors that every further turn of the connection would have, too. */
const FINAL_ERRORS: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'invalid_api_key',
  'token_disabled',
  'token_expired',
  'user_banned',
  'ip_not_allowed',
])

/** Runs one turn after the other. The end of the connection ends the turn, which is charged for its usage. */
export class ResponseSocket implements SocketListener {
  readonly protocol = undefined
  private readonly parts: ResponseSocketParts
  private readonly state: ConnectionState
  private readonly queue: Turn[] = []
  private readonly ending = new AbortController()
  private socket: ClientSocket | undefined
  private idleTimer: NodeJS.Timeout | undefined
  private ageTimer: NodeJS.Timeout | undefined
  private isTooOld = false
  private stopChecks: () => void = () => undefined
  private running: Promise<void> | undefined
  private closing: Promise<void> | undefined

  constructor(parts: ResponseSocketParts) {
    this.parts = parts
    this.state = new ConnectionState(parts.userId, parts.memory)
  }

  onOpen(socket: ClientSocket): void {
    this.socket = socket
    this.stopChecks = this.parts.checkCaller(({ code }) => this.endIfFinal(code))
    this.waitForTurn()
    this.ageTimer = setTimeout(() => {
      this.isTooOld = true
      if (!this.running) this.endForAge()
    }, AGE_MS_MAX)
  }

  onMessage(frame: WebSocketFrame): void {
    if (this.ending.signal.aborted) return
    if (typeof frame !== 'string') this.end(CLOSE_UNSUPPORTED_DATA, NOT_TEXT)
    else if (this.queue.length >= QUEUED_MAX) this.end(CLOSE_POLICY_VIOLATION, TOO_MANY)
    else this.add(frame)
  }

  onClose(): Promise<void> {
    this.closing ??= this.leave()
    return this.closing
  }

  /** A frame for which there is no memory is refused; the connection goes on without it. */
  private add(text: string): void {
    const { url, clientIp } = this.parts
    const memory = this.parts.openMemory(senderOf(this.parts))
    try {
      memory.take(text.length)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.sendError(error)
      return
    }
    this.queue.push(new Turn({ requestId: newRequestId(), url, clientIp, text, memory }, this.state))
    this.running ??= this.runQueue()
  }

  private dropQueue(): void {
    for (const turn of this.queue.splice(0)) turn.releaseMemory()
  }

  private async leave(): Promise<void> {
    this.ending.abort()
    this.stopChecks()
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
      for (let turn = this.queue.shift(); turn; turn = this.queue.shift()) await this.runTurn(turn)
    } catch (error) {
      // The relay responds and charges in any case, so only a bug gets here.
      this.parts.log.error('a turn failed unexpectedly', { error })
      this.end(CLOSE_INTERNAL_ERROR, { zh: '内部错误', en: 'internal error' })
    }
    this.running = undefined
    if (this.isTooOld) this.endForAge()
    else this.waitForTurn()
  }

  private async runTurn(turn: Turn): Promise<void> {
    const { socket, parts, ending } = this
    if (!socket) return
    const { response, errorCode, status } = await runTurn(turn, { ...parts, signal: ending.signal, socket })
    if (response && turn.continued) this.state.keep(turn.continued, response)
    else this.state.forget()
    if (!turn.isEvent && status === STATUS_BAD_REQUEST) this.end(CLOSE_POLICY_VIOLATION, NOT_AN_EVENT)
    else this.endIfFinal(errorCode)
  }

  private endIfFinal(errorCode: string | undefined): void {
    if (FINAL_ERRORS.has(errorCode)) this.end(CLOSE_POLICY_VIOLATION, NOT_ALLOWED)
  }

  private waitForTurn(): void {
    if (!this.ending.signal.aborted)
      this.idleTimer = setTimeout(() => this.end(CLOSE_NORMAL, IDLE), IDLE_MS_MAX)
  }

  private endForAge(): void {
    this.sendError(new GatewayError('invalid_request', TOO_OLD), 'websocket_connection_limit_reached')
    this.end(CLOSE_NORMAL, TOO_OLD)
  }

  private sendError(error: GatewayError, code?: string): void {
    const { client, language } = this.parts
    const json = client.writeError(inLanguage(toClientError(error), language), '')
    const shown = { ...(isObject(json.error) && json.error), ...(code && { code }) }
    this.socket?.send(JSON.stringify({ type: 'error', status: error.status, error: shown }))
  }

  private end(code: number, reason: BothLanguages): void {
    this.ending.abort()
    this.stopChecks()
    this.dropQueue()
    this.socket?.close(code, reason[this.parts.language].slice(0, REASON_CHARS_MAX))
  }
}
