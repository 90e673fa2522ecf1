import { z } from 'zod'
import { basePath } from './base-path.ts'
import { CallError, requestHeaders, throwIfExpired, toCallError } from './call.ts'

const REQUEST_ID = 'X-Oneapi-Request-Id'

/** Error body of the relay, in OpenAI's format. */
const Refusal = z.object({ error: z.object({ message: z.string(), code: z.unknown() }) })

export interface EventStream {
  readonly requestId: string
  /** The `data` of each event, as text. */
  readonly events: AsyncGenerator<string>
}

/** Posts JSON to the relay and returns the events of the stream as they arrive. Throws `CallError` when there is no stream. */
export async function callStream(path: string, body: unknown, signal: AbortSignal): Promise<EventStream> {
  const response = await post(path, body, signal)
  if (response.ok && response.body) {
    return { requestId: response.headers.get(REQUEST_ID) ?? '', events: readEvents(response.body) }
  }
  const refusal = Refusal.safeParse(await response.json().catch(() => undefined)).data?.error
  const envelope = refusal && { message: refusal.message, code: String(refusal.code ?? '') }
  throwIfExpired(response, envelope)
  throw toCallError(refusal ? 'refused' : 'status', response, envelope)
}

async function post(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(basePath + path, {
      method: 'POST',
      headers: requestHeaders(true),
      body: JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw new CallError('offline', String(error))
  }
}

const LINE_END = /\r\n|\n|\r/
const FIELD = /^data: ?(.*)$/

/** The `data` of each server-sent event. Format: html.spec.whatwg.org, "Parsing an event stream". */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let fields: string[] = []
  for await (const line of readLines(body)) {
    const field = FIELD.exec(line)?.[1]
    if (field !== undefined) fields.push(field)
    if (line !== '' || fields.length === 0) continue
    yield fields.join('\n')
    fields = []
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const { lines, open } = splitLines(rest + decoder.decode(value, { stream: !done }), done)
      rest = open
      yield* lines
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}

interface Split {
  readonly lines: readonly string[]
  readonly open: string
}

/** Splits complete lines off. A trailing `\r` may be half of `\r\n`, so it is kept until more bytes arrive. */
function splitLines(text: string, isEnd: boolean): Split {
  const held = !isEnd && text.endsWith('\r') ? '\r' : ''
  const parts = text.slice(0, text.length - held.length).split(LINE_END)
  const open = parts.pop() ?? ''
  return { lines: parts, open: open + held }
}
