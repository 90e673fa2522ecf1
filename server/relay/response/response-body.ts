import type { StreamPart, StreamSource } from './stream-response.ts'

interface ClientEnd {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Called after the last part. */
  readonly onEnd: () => void
}

/**
 * The body of a response that goes to a client's socket. A part is sent before the next one is read, and upstream bytes are
 * read at the client's pace.
 */
export function toSocketStream(
  source: StreamSource,
  { signal, onEnd }: ClientEnd,
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
      while (!hasLeft) {
        const next = source.next()
        const part = next instanceof Promise ? await next : next
        const written = controller.write(contentOf(part))
        if (part.isLast) return onEnd()
        // Without it the runtime would send the part only after everything else that has arrived meanwhile.
        controller.flush()
        if (written instanceof Promise) await written
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
