import { type CancelSignal, CancelSource } from '../../core/cancel-signal.ts'
import type { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import type { CallerToken, SettingsReader } from '../types.ts'
import type { ClientConnection } from './client-connection.ts'

/** More responses at once are not read to their end: each keeps a connection, and a JSON one its request. */
const ABANDONED_MAX = 256

/** The responses of this process that are read on although their clients have left. */
const SECOND_MS = 1_000

export class AbandonedResponses {
  private readonly stops = new Set<() => void>()
  private isStopped = false

  /** Returns false when no further response may be read on. */
  add(stop: () => void): boolean {
    if (this.isStopped || this.stops.size >= ABANDONED_MAX) return false
    this.stops.add(stop)
    return true
  }

  delete(stop: () => void): void {
    this.stops.delete(stop)
  }

  /** Ends them all and lets no other begin: for a shutdown. */
  stop(): void {
    this.isStopped = true
    for (const stop of this.stops) stop()
  }
}

/** Whatever goes on for a caller: a response, a socket, a stream of stored events. */
export interface LiveCall {
  readonly caller: {
    readonly token: Pick<CallerToken, 'id'> | undefined
    /** Without a token: of the session, or of an access token of the management API. */
    readonly sessionHash?: string | undefined
  }
  readonly connection: Pick<ClientConnection, 'clientIp'>
  /** The caller may not go on. May be called again. */
  revoke(reason: GatewayError): void
}

export interface PresenceDeps {
  readonly abandonedResponses: AbandonedResponses
  readonly openCalls: Set<LiveCall>
  readonly settings: SettingsReader<'DisconnectReadSeconds' | 'DisconnectReadMegabytes'>
}

/**
 * Whether the client of a request is still there. When it leaves, the upstream is read on within limits, because providers
 * report at the end what they charge for.
 */
export class ClientPresence implements LiveCall {
  readonly caller: LiveCall['caller']
  readonly connection: LiveCall['connection']
  private readonly deps: PresenceDeps
  private readonly upstream = new CancelSource()
  private timer: NodeJS.Timeout | undefined
  private bytesLeft = 0
  private isOver = false
  private isGone = false
  private isDenied = false
  private onRevoked: LiveCall['revoke'] | undefined

  /** `signal`: of the client's request. */
  constructor(
    signal: AbortSignal,
    { caller, connection }: Pick<LiveCall, 'caller' | 'connection'>,
    deps: PresenceDeps,
  ) {
    this.caller = caller
    this.connection = connection
    this.deps = deps
    deps.openCalls.add(this)
    if (signal.aborted) this.leave()
    else signal.addEventListener('abort', () => this.leave(), { once: true })
  }

  get hasLeft(): boolean {
    return this.isGone
  }

  /** The credential has ended: the client must receive nothing more. */
  get isRevoked(): boolean {
    return this.isDenied
  }

  /** Aborts when the upstream must not be read any further. */
  get upstreamSignal(): CancelSignal {
    return this.upstream
  }

  /** To be called when the client has left, however that was noticed. */
  leave(): void {
    if (this.isGone || this.isOver) return
    this.isGone = true
    const { DisconnectReadSeconds: seconds, DisconnectReadMegabytes: megabytes } =
      this.deps.settings.current()
    this.bytesLeft = megabytes * MIB
    if (seconds > 0 && megabytes > 0 && this.deps.abandonedResponses.add(this.stop))
      this.timer = setTimeout(this.stop, seconds * SECOND_MS)
    else this.stop()
  }

  /** `end` says why and charges what was delivered. Before there is anything to end, the client counts as gone. */
  whenRevoked(end: LiveCall['revoke']): void {
    this.onRevoked = end
  }

  revoke(reason: GatewayError): void {
    if (this.isDenied || this.isOver) return
    this.isDenied = true
    this.isGone ||= this.onRevoked === undefined
    if (this.onRevoked) this.onRevoked(reason)
    else this.stop()
  }

  /** Counts bytes of the response that no client receives. */
  countUnread(bytes: number): void {
    this.bytesLeft -= bytes
    if (this.bytesLeft <= 0) this.stop()
  }

  /** To be called when the request is over. */
  end(): void {
    this.isOver = true
    this.deps.openCalls.delete(this)
    if (!this.isGone) return
    clearTimeout(this.timer)
    this.deps.abandonedResponses.delete(this.stop)
  }

  private readonly stop = (): void => {
    this.end()
    this.upstream.abort()
  }
}
