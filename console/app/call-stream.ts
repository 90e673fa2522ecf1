import { z } from 'zod'
import { failureOf, headersOf, refuseExpired } from './call.ts'
import { CallError } from './call-error.ts'
import { readEvents } from './read-events.ts'

const REQUEST_ID = 'X-Oneapi-Request-Id'

/** A refusal of the relay, in OpenAI's form. */
const Refusal = z.object({ error: z.object({ message: z.string(), code: z.unknown() }) })

export interface EventStream {
  readonly requestId: string
  /** The `data` of each event, as text. */
  readonly events: AsyncGenerator<string>
}

/** Posts JSON to the relay and gives the events of its answer as they come. Throws a `CallError` when there is none. */
export async function callStream(path: string, body: unknown, signal: AbortSignal): Promise<EventStream> {
  const response = await post(path, body, signal)
  if (response.ok && response.body) {
    return { requestId: response.headers.get(REQUEST_ID) ?? '', events: readEvents(response.body) }
  }
  const refusal = Refusal.safeParse(await response.json().catch(() => undefined)).data?.error
  const envelope = refusal && { message: refusal.message, code: String(refusal.code ?? '') }
  refuseExpired(response, envelope)
  throw failureOf(refusal ? 'refused' : 'status', response, envelope)
}

async function post(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(path, {
      method: 'POST',
      headers: headersOf(true),
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
