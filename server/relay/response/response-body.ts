import { everyMs } from '../../core/clock.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import type { StreamPart, StreamSource } from './stream-response.ts'

/** What the client of a quiet stream hears, so that no proxy between them takes the connection for dead. */
export interface KeepAlive {
  readonly text: string
  /** The silence before it, and between two of them; 0: never. */
  readonly seconds: number
  /** It may stand between any two parts; by default only between two events. */
  readonly isSpace?: boolean
}

const NEVER: KeepAlive = { text: '', seconds: 0 }
const SECOND_MS = 1_000
const quietTimers = new Set<QuietTimer>()
let stopTicking: (() => Promise<void>) | undefined

/** Calls `onQuiet` each time that so many seconds of waiting have passed without content. One clock serves all timers. */
class QuietTimer {
  private readonly seconds: number
  private readonly isSpace: boolean
  private readonly onQuiet: () => void
  private secondsQuiet = 0
  private isWaiting = false
  private isBetweenEvents = true

  constructor({ seconds, isSpace = false }: KeepAlive, onQuiet: () => void) {
    this.seconds = seconds
    this.isSpace = isSpace
    this.onQuiet = onQuiet
    if (seconds === 0) return
    quietTimers.add(this)
    stopTicking ??= everyMs(SECOND_MS, tick)
  }

  wait(): void {
    this.isWaiting = true
  }

  receive(content: string | Uint8Array): void {
    this.isWaiting = false
    this.secondsQuiet = 0
    if (content.length > 0) this.isBetweenEvents = this.isSpace || endsEvent(content)
  }

  end(): void {
    quietTimers.delete(this)
  }

  /** The first second is not a complete one. */
  tick(): void {
    this.secondsQuiet += 1
    if (this.secondsQuiet <= this.seconds) return
    this.secondsQuiet = 1
    if (this.isWaiting && this.isBetweenEvents) this.onQuiet()
  }
}

async function tick(): Promise<void> {
  for (const timer of quietTimers) timer.tick()
  if (quietTimers.size > 0) return
  void stopTicking?.()
  stopTicking = undefined
}

/** nginx passes a stream on as it comes; other proxies do not compress it, for which they would hold its events back. */
export const STREAM_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

interface ClientEnd {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Called after the last part. */
  readonly onEnd: () => void
  /** None for what is not a stream of events. */
  readonly keepAlive?: KeepAlive | undefined
}

/**
 * The body of a response that goes to a client's socket. A part is sent before the next one is read, and upstream bytes are
 * read at the client's pace.
 */
export function toSocketStream(
  source: StreamSource,
  { signal, onEnd, keepAlive = NEVER }: ClientEnd,
): ReadableStream<Uint8Array> {
  let hasLeft = false
  const leave = () => {
    hasLeft = true
    void source.cancel()
  }
  signal.addEventListener('abort', leave, { once: true })
  return openDirectStream({
    type: 'direct',
    async pull(controller) {
      const timer = new QuietTimer(keepAlive, () => {
        controller.write(hasLeft ? '' : keepAlive.text)
        controller.flush()
      })
      try {
        while (!hasLeft) {
          timer.wait()
          const next = source.next()
          const part = next instanceof Promise ? await next : next
          const content = contentOf(part)
          timer.receive(content)
          const written = controller.write(content)
          if (part.isLast) return onEnd()
          // Without it the runtime would send the part only after everything else that has arrived meanwhile.
          controller.flush()
          if (written instanceof Promise) await written
        }
      } finally {
        timer.end()
      }
    },
    cancel: leave,
  })
}

type DirectStreamClass = new (source: Bun.DirectUnderlyingSource<Uint8Array>) => ReadableStream<Uint8Array>

/** Bun's ReadableStream accepts a direct source, which the DOM's declaration does not list, so the cast is safe. */
function openDirectStream(source: Bun.DirectUnderlyingSource<Uint8Array>): ReadableStream<Uint8Array> {
  const DirectStream = ReadableStream as unknown as DirectStreamClass
  return new DirectStream(source)
}

const contentOf = (part: StreamPart): string | Uint8Array => ('text' in part ? part.text : part.bytes)

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Bytes that pass through may end anywhere, and nothing may be written within an event. */
function endsEvent(content: string | Uint8Array): boolean {
  if (typeof content === 'string') return content.endsWith('\n\n') || content.endsWith('\n\r\n')
  if (content.at(-1) !== LINE_FEED) return false
  const before = content.at(content.at(-2) === CARRIAGE_RETURN ? -3 : -2)
  return before === LINE_FEED
}

/** The same for a reader within this program. */
export function toReadableStream(
  source: StreamSource,
  { signal, onEnd }: ClientEnd,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  signal.addEventListener('abort', () => void source.cancel(), { once: true })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = await source.next()
        const bytes = 'text' in part ? encoder.encode(part.text) : part.bytes
        if (bytes.byteLength > 0) controller.enqueue(bytes)
        if (!part.isLast) return
        onEnd()
        controller.close()
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  )
}

interface EarlyResponse {
  readonly signal: AbortSignal
  readonly connection: Pick<ClientConnection, 'startStreaming' | 'keepBody'>
  readonly contentType: string
  readonly keepAlive: KeepAlive
}

/**
 * The response of a client that would otherwise hear nothing until a channel responds: after a silence it begins without one,
 * and what comes then follows in it.
 */
export class EarlyStream {
  private readonly parts: EarlyResponse
  private readonly timer: QuietTimer
  private readonly quiet = Promise.withResolvers<undefined>()
  private isStreaming = false

  constructor(parts: EarlyResponse) {
    this.parts = parts
    this.timer = new QuietTimer(parts.keepAlive, () => {
      this.isStreaming = true
      this.timer.end()
      this.quiet.resolve(undefined)
    })
    this.timer.wait()
  }

  /** Whether the client is already reading. It stays so: to be asked by whoever makes the response. */
  decide(): boolean {
    this.timer.end()
    return this.isStreaming
  }

  /** `responding` must not reject, and must yield a stream of events once `decide` has returned true. */
  async follow(responding: Promise<Response>): Promise<Response> {
    const response = await Promise.race([responding, this.quiet.promise])
    this.timer.end()
    return response ?? this.begin(responding)
  }

  private begin(responding: Promise<Response>): Response {
    const { signal, connection, contentType, keepAlive } = this.parts
    const releaseBody = connection.keepBody?.()
    const following = responding.then(response => {
      releaseBody?.()
      return response.body?.getReader()
    })
    const parts = { signal, onEnd: connection.startStreaming(), keepAlive }
    return new Response(toSocketStream(followingSource(following, keepAlive), parts), {
      headers: { ...STREAM_HEADERS, 'content-type': contentType },
    })
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>

function followingSource(following: Promise<BodyReader | undefined>, { text }: KeepAlive): StreamSource {
  let isFirst = true
  return {
    async next() {
      if (isFirst) {
        isFirst = false
        return { text, isLast: false }
      }
      const { value } = (await (await following)?.read()) ?? {}
      return value ? { bytes: value, isLast: false } : { text: '', isLast: true }
    },
    cancel: async () => (await following)?.cancel(),
  }
}
