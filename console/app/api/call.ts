import type { AnyEndpoint, BodyOf, DataOf, MetaOf, ParamsOf, QueryOf } from '#contract/endpoint.ts'
import { currentLanguage, textOf } from '../../ui/text/text.ts'
import { appText } from '../app-text.ts'
import { currentUser } from '../session/session.ts'

const CALL_MS_MAX = 30_000
const NOBODY = '-1'
const REQUEST_ID_HEADERS = ['X-Oneapi-Request-Id', 'X-Request-Id']

type None = Record<string, never>
type Maybe<Name extends string, Value> = [Value] extends [None]
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Value }

export type CallInput<E> = Maybe<'params', ParamsOf<E>> & {
  readonly query?: Partial<QueryOf<E>>
  readonly body?: BodyOf<E>
  readonly signal?: AbortSignal
  /** 30 seconds unless said otherwise. */
  readonly timeoutMs?: number
}

export interface Answer<E> {
  readonly data: DataOf<E>
  readonly beside: MetaOf<E>
  readonly message: string
}

interface AnyInput {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

let onExpired: () => void = () => undefined

/** Says what happens when the server no longer knows the session. Set once, by the router. */
export function whenExpired(run: () => void): void {
  onExpired = run
}

/** Calls the server and gives `data`. Throws a `CallError` for everything else. */
export async function call<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<DataOf<E>> {
  return (await callWhole(endpoint, input)).data
}

/** The same with the message, and what stands beside `data` in the envelope (totals of lists). */
export async function callWhole<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<E>> {
  const response = await send(endpoint, input)
  const envelope = await readEnvelope(response)
  refuseExpired(response, envelope)
  if (envelope === undefined) throw failureOf(response.ok ? 'unreadable' : 'status', response, envelope)
  if (!response.ok && envelope.success !== false) throw failureOf('status', response, envelope)
  if (envelope.success === false) throw failureOf('refused', response, envelope)
  return {
    data: accept(endpoint, endpoint.reply, envelope.data),
    beside: accept(endpoint, endpoint.meta, envelope),
    message: envelope.message ?? '',
  }
}

/** The same for calls that answer with a file, whose bytes are given as they are. */
export async function callFile<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<Blob> {
  const response = await send(endpoint, input)
  const isFile = response.headers
    .get('Content-Type')
    ?.startsWith(endpoint.produces ?? 'application/octet-stream')
  if (response.ok && isFile) return response.blob()
  const envelope = await readEnvelope(response)
  refuseExpired(response, envelope)
  throw failureOf(envelope?.success === false ? 'refused' : 'status', response, envelope)
}

/** Throws when the server no longer knows the session, and opens the sign-in page. */
export function refuseExpired(response: Response, envelope: LooseEnvelope | undefined): void {
  if (response.status !== 401) return
  onExpired()
  throw failureOf('expired', response, envelope)
}

async function send(endpoint: AnyEndpoint, input: AnyInput): Promise<Response> {
  const limit = AbortSignal.timeout(input.timeoutMs ?? CALL_MS_MAX)
  const signal = input.signal ? AbortSignal.any([input.signal, limit]) : limit
  try {
    return await fetch(urlOf(endpoint, input), {
      method: endpoint.method,
      headers: headersOf(input.body !== undefined),
      body: input.body === undefined ? null : JSON.stringify(input.body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
    })
  } catch (error) {
    if (input.signal?.aborted) throw error
    throw new CallError(limit.aborted ? 'timeout' : 'offline', String(error))
  }
}

/** What every call says about who asks, and how. */
export function headersOf(hasBody: boolean): Record<string, string> {
  const user = currentUser()
  return {
    'New-Api-User': user ? String(user.id) : NOBODY,
    'Accept-Language': currentLanguage(),
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  }
}

/** The address of a call: `:name` is filled from `params`, absent and undefined parts of `query` are left out. */
export function urlOf(endpoint: AnyEndpoint, input: AnyInput): string {
  const params = new Map<string, unknown>(Object.entries(input.params ?? {}))
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params.get(name))),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? path : `${path}?${query}`
}

export interface LooseEnvelope {
  readonly success?: boolean
  readonly message?: string
  readonly code?: string
  readonly data?: unknown
}

async function readEnvelope(response: Response): Promise<LooseEnvelope | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

export function failureOf(
  failure: CallError['failure'],
  response: Response,
  envelope: LooseEnvelope | undefined,
): CallError {
  const retryAfter = Number(response.headers.get('Retry-After'))
  const requestId = REQUEST_ID_HEADERS.map(name => response.headers.get(name)).find(Boolean)
  return new CallError(failure, envelope?.message || `HTTP ${response.status}`, {
    status: response.status,
    code: envelope?.code,
    requestId: requestId ?? undefined,
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
  })
}

/** An answer that does not fit is shown as far as possible: it is passed on, and its path (never a value) reported. */
function accept(endpoint: AnyEndpoint, schema: AnyEndpoint['reply'], found: unknown) {
  const parsed = schema.safeParse(found)
  if (parsed.success) return parsed.data
  const paths = parsed.error.issues.map(issue => issue.path.join('.')).join(', ')
  // biome-ignore lint/suspicious/noConsole: the operator's only trace of an answer that does not fit
  console.warn(`${endpoint.method} ${endpoint.path}: unexpected answer at ${paths || 'data'}`)
  return found
}

type CallFailure = 'refused' | 'status' | 'expired' | 'offline' | 'timeout' | 'unreadable'

/** A call that gave no answer. `expired` is already dealt with: the sign-in page opens. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: CallFailure
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The server's stable code for machines. */
  readonly code: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    failure: CallFailure,
    message: string,
    details: {
      status?: number
      code?: string | undefined
      requestId?: string | undefined
      retryAfterSeconds?: number | undefined
    } = {},
  ) {
    super(message)
    this.failure = failure
    this.status = details.status ?? 0
    this.code = details.code
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

const t = textOf(appText)

/** The sentence for people, with the prefix of the specification. */
export function errorText(error: unknown): string {
  if (!(error instanceof CallError))
    return t('errorPrefix', { message: error instanceof Error ? error.message : String(error) })
  if (error.failure === 'offline') return t('unreachable')
  if (error.failure === 'timeout') return t('timeout')
  if (error.failure === 'unreadable') return t('unreadable')
  if (error.failure === 'expired') return t('loginExpired')
  return statusText(error.status) ?? t('errorPrefix', { message: error.message })
}

/** A message of the server as it came, without a prefix: for the place beside the fields. */
export function plainErrorText(error: unknown): string {
  return error instanceof CallError && error.failure === 'refused' ? error.message : errorText(error)
}

function statusText(status: number): string | undefined {
  if (status === 429) return t('tooManyRequests')
  if (status === 500) return t('serverError')
  if (status === 405) return t('demoOnly')
  return undefined
}
