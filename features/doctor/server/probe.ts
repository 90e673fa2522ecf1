import { textsOf } from '#server/core/language.ts'
import { createSend } from '#server/http-client/send.ts'

const PROBE_TIMEOUT_MS = 5_000

/** A host of a channel, or why it was not reached. */
export interface HostProbe {
  readonly origin: string
  readonly failure: ReturnType<typeof textsOf> | undefined
  /** The clock of the host in milliseconds, in whole seconds. */
  readonly serverMs: number | undefined
}

/** Whether a host responds over HTTP with any status. No key is sent. */
export async function probeHost(
  origin: string,
  { proxy, isBehindProxy }: { readonly proxy: string | undefined; readonly isBehindProxy: boolean },
): Promise<HostProbe> {
  const request = { method: 'GET', url: `${origin}/`, headers: {} } as const
  const result = await createSend({ isBehindProxy })(request, probeOptions(proxy))
  if (result.kind === 'failure') return { origin, failure: textsOf(result.failure), serverMs: undefined }
  const dateMs = Date.parse(result.response.headers.get('date') ?? '')
  result.response.cancel()
  return { origin, failure: undefined, serverMs: Number.isNaN(dateMs) ? undefined : dateMs }
}

const probeOptions = (proxy: string | undefined) => ({
  signal: new AbortController().signal,
  headersTimeoutMs: PROBE_TIMEOUT_MS,
  proxy,
})
