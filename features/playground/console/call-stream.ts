import { z } from 'zod'
import { basePath } from '#console/app/api/base-path.ts'
import { fetchAsUser, throwIfExpired, toCallError } from '#console/app/api/call.ts'

const REQUEST_ID = 'X-Oneapi-Request-Id'

/** Error body of the relay, in OpenAI's format. */
const Refusal = z.object({ error: z.object({ message: z.string(), code: z.unknown() }) })

export interface StreamedReply {
  readonly requestId: string
  readonly body: ReadableStream<Uint8Array>
}

/** Posts JSON to the relay and returns the body of the response as it arrives. Throws `CallError` when there is no stream. */
export async function callStream(path: string, body: unknown, signal: AbortSignal): Promise<StreamedReply> {
  const response = await fetchAsUser(basePath + path, { method: 'POST', body, signal })
  if (response.ok && response.body)
    return { requestId: response.headers.get(REQUEST_ID) ?? '', body: response.body }
  const refusal = Refusal.safeParse(await response.json().catch(() => undefined)).data?.error
  const envelope = refusal && { message: refusal.message, code: String(refusal.code ?? '') }
  throwIfExpired(response, envelope)
  throw toCallError(refusal ? 'refused' : 'status', response, envelope)
}
