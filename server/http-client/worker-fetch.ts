import { ResponseTooLargeError } from './http1/http-response.ts'
import { inSeconds } from './read-response.ts'
import {
  type CheckTarget,
  type FetchWorker,
  failed,
  type SafeFetch,
  type SafeFetchFailure,
  type SafeFetchRequest,
  type SafeFetchResponse,
  tooLarge,
  unreachable,
} from './safe-fetch.ts'
import type { ReceivedResponse, Send } from './send.ts'

interface WorkerFetchDeps {
  /** Undefined: the gateway fetches by itself. */
  readonly worker: () => FetchWorker | undefined
  readonly safeFetch: SafeFetch
  readonly checkTarget: CheckTarget
  readonly send: Send
}

/** Like `safeFetch`, through the worker when there is one. The worker may stand in a private network, so the same URLs are allowed. */
export function createWorkerFetch({ worker, safeFetch, checkTarget, send }: WorkerFetchDeps): SafeFetch {
  return async request => {
    const current = worker()
    if (!current || request.method === 'POST') return safeFetch(request)
    try {
      const target = await checkTarget(request.url)
      return target.kind === 'failure' ? target : await fetchThroughWorker(request, current, send)
    } catch (cause) {
      return unreachable(cause)
    }
  }
}

async function fetchThroughWorker(
  { url, headers = {}, bytesMax, timeoutMs }: SafeFetchRequest,
  worker: FetchWorker,
  send: Send,
): Promise<SafeFetchResponse | SafeFetchFailure> {
  const signal = AbortSignal.timeout(timeoutMs)
  const call = {
    method: 'POST',
    url: worker.url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, key: worker.key, method: 'GET', headers }),
  } as const
  const sent = await send(call, { signal, headersTimeoutMs: timeoutMs, proxy: undefined })
  if (signal.aborted)
    return failed({
      zh: `Worker 在 ${Math.round(timeoutMs / 1000)} 秒内没有响应`,
      en: `the worker did not respond within ${inSeconds(timeoutMs)}`,
    })
  if (sent.kind === 'failure') {
    const { message, messageZh = message } = sent.failure
    return failed({ zh: `Worker 调用失败（${messageZh}）`, en: `the worker failed (${message})` })
  }
  return readBody(sent, bytesMax)
}

async function readBody(
  { response }: ReceivedResponse,
  bytesMax: number,
): Promise<SafeFetchResponse | SafeFetchFailure> {
  const { status, headers } = response
  try {
    const bytes = await response.readAll(bytesMax)
    return { kind: 'response', status, contentType: headers.get('content-type') ?? '', bytes }
  } catch (error) {
    response.cancel()
    if (error instanceof ResponseTooLargeError) return tooLarge(bytesMax)
    throw error
  }
}
