import type { AnyEndpoint, BodyOf, DataOf, MetaOf, ParamsOf, QueryOf } from '#contract/endpoint.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { currentLanguage, translatorOf } from '../../ui/text/text.ts'
import { appText } from '../app-text.ts'
import { currentUser } from '../session/session.ts'
import { basePath } from './base-path.ts'

const CALL_MS_MAX = 30_000
/** For calls that change everything that matches a filter. */
export const MATCHING_TIMEOUT_MS = 300_000
const NO_USER_ID = '-1'
const REQUEST_ID_HEADERS = ['X-Oneapi-Request-Id', 'X-Request-Id']

type None = Record<string, never>
type Maybe<Name extends string, Value> = [Value] extends [None]
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Value }

export type CallInput<E> = Maybe<'params', ParamsOf<E>> & {
  readonly query?: Partial<QueryOf<E>>
  readonly body?: BodyOf<E>
  readonly signal?: AbortSignal
  /** Default: 30 seconds. */
  readonly timeoutMs?: number
}

export interface CallResult<E> {
  readonly data: DataOf<E>
  readonly meta: MetaOf<E>
  readonly message: string
}

interface AnyInput {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

/** What calls ask of the console, which sets it once. */
export const callHandlers = {
  onExpired: (): void => undefined,
  /** Asks users to confirm their identity. The call is repeated afterwards, but not when they decline: false. */
  reauthenticate: async (): Promise<boolean> => false,
  /** The second step of a sign-in. Resolves to the user, or to undefined when it is closed. */
  takeSecondStep: async (): Promise<unknown> => undefined,
  /** Leads users on who must add a second factor first. */
  enrol: (_why: string): void => undefined,
  /** Headers that say for whom the user acts. */
  actingHeaders: (_endpoint: AnyEndpoint): Record<string, string> => ({}),
}

const RECENT_SIGN_IN_REQUIRED = 'auth.recent_sign_in_required'
const FACTOR_REQUIRED = 'auth.factor_required'
const ENROLMENT_REQUIRED = 'auth.enrolment_required'

/** Whether the user declined to confirm the identity, which needs no message. */
export const isReauthenticationDeclined = (error: unknown): boolean =>
  error instanceof CallError && error.code === RECENT_SIGN_IN_REQUIRED

/** Calls the server and returns `data`. Throws `CallError` on every failure. */
export async function call<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<DataOf<E>> {
  return (await callWithMeta(endpoint, input)).data
}

/** Like `call`, with the message and the envelope's other fields, for example the total of a list. */
export async function callWithMeta<E extends AnyEndpoint>(
  endpoint: E,
  input: CallInput<E>,
): Promise<CallResult<E>> {
  const { response, envelope } = await sendReauthenticated(endpoint, input)
  if (envelope === undefined) throw toCallError(response.ok ? 'unreadable' : 'status', response, envelope)
  if (!response.ok && envelope.success !== false) throw toCallError('status', response, envelope)
  if (envelope.success === false) throw toCallError('refused', response, envelope)
  return {
    data: parseReply(endpoint, endpoint.reply, envelope.data),
    meta: parseReply(endpoint, endpoint.meta, envelope),
    message: envelope.message ?? '',
  }
}

/** Sends a call, and once more if the user had to confirm the identity first. */
async function sendReauthenticated(endpoint: AnyEndpoint, input: AnyInput) {
  const first = await sendOnce(endpoint, input)
  if (first.envelope?.code === ENROLMENT_REQUIRED) callHandlers.enrol(first.envelope.message ?? '')
  if (first.envelope?.code === FACTOR_REQUIRED && !currentUser())
    return { ...first, envelope: await completeSignIn(first.envelope) }
  const isRequired = first.envelope?.code === RECENT_SIGN_IN_REQUIRED
  return isRequired && (await callHandlers.reauthenticate()) ? sendOnce(endpoint, input) : first
}

/** What the sign-in would have returned: the account, which sign-ins with OpenID return as `user`. */
async function completeSignIn(incomplete: Envelope): Promise<Envelope> {
  const user = await callHandlers.takeSecondStep()
  return typeof user === 'object'
    ? { success: true, data: { ...Object(incomplete.data), ...user, user, is_bound: false } }
    : incomplete
}

async function sendOnce(endpoint: AnyEndpoint, input: AnyInput) {
  const response = await send(endpoint, input)
  const envelope = await readEnvelope(response)
  throwIfExpired(response, envelope)
  return { response, envelope }
}

/** Like `call`, for endpoints that reply with a file. */
export async function callFile<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<Blob> {
  try {
    return await fetchFile(endpoint, input)
  } catch (error) {
    if (isReauthenticationDeclined(error) && (await callHandlers.reauthenticate()))
      return fetchFile(endpoint, input)
    throw error
  }
}

async function fetchFile(endpoint: AnyEndpoint, input: AnyInput): Promise<Blob> {
  const response = await send(endpoint, input)
  const isFile = response.headers
    .get('Content-Type')
    ?.startsWith(endpoint.produces ?? 'application/octet-stream')
  if (response.ok && isFile) return response.blob()
  const envelope = await readEnvelope(response)
  throwIfExpired(response, envelope)
  throw toCallError(envelope?.success === false ? 'refused' : 'status', response, envelope)
}

/** Opens the sign-in page and throws when the session has expired (401). */
export function throwIfExpired(response: Response, envelope: Envelope | undefined): void {
  if (response.status !== 401) return
  callHandlers.onExpired()
  throw toCallError('expired', response, envelope)
}

const WAITS_MAX = 5
const WAIT_SECONDS_MAX = 60
const TOO_MANY_REQUESTS = 429
const BUDGET_SPENT = 'rate.too_often'

const waitingCalls = createStore(0)

/** Whether calls wait because the user's budget is spent. */
export const useIsWaiting = (): boolean => useStore(waitingCalls) > 0

/**
 * Sends a call, and sends it again when the user's budget was spent: a call that was refused has had no effect. Never in the
 * name of somebody who signed in meanwhile.
 */
async function send(endpoint: AnyEndpoint, input: AnyInput): Promise<Response> {
  const userId = currentUser()?.id
  for (let waits = 0; ; waits += 1) {
    const response = await fetchOnce(endpoint, input)
    const seconds = endpoint.isCritical ? undefined : await secondsToWait(response)
    if (seconds === undefined || waits === WAITS_MAX) return response
    waitingCalls.set(waitingCalls.get() + 1)
    await wait(seconds * 1000, input.signal).finally(() => waitingCalls.set(waitingCalls.get() - 1))
    if (currentUser()?.id !== userId) return response
  }
}

/** Undefined unless a budget was spent. Those who guess passwords have limits of their own and are told at once. */
async function secondsToWait(response: Response): Promise<number | undefined> {
  const seconds = Number(response.headers.get('Retry-After'))
  if (response.status !== TOO_MANY_REQUESTS || seconds === 0 || seconds > WAIT_SECONDS_MAX) return undefined
  const envelope = await readEnvelope(response.clone())
  return envelope?.code === BUDGET_SPENT ? seconds : undefined
}

/** Resolves after `ms`, and rejects as soon as the signal aborts. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

async function fetchOnce(endpoint: AnyEndpoint, input: AnyInput): Promise<Response> {
  const limit = AbortSignal.timeout(input.timeoutMs ?? CALL_MS_MAX)
  const signal = input.signal ? AbortSignal.any([input.signal, limit]) : limit
  const headers = callHandlers.actingHeaders(endpoint)
  try {
    return await fetchAsUser(callUrl(endpoint, input), { ...input, method: endpoint.method, headers, signal })
  } catch (error) {
    if (!limit.aborted || input.signal?.aborted) throw error
    throw new CallError('timeout', String(error))
  }
}

interface UserRequest {
  readonly method: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Sends one request. Throws `CallError` when nothing answers, and another error once the signal has aborted. */
export async function fetchAsUser(
  url: string,
  { method, body, headers, signal }: UserRequest,
): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      headers: { ...requestHeaders(body !== undefined), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw new CallError('offline', String(error))
  }
}

/** Headers of every call: the user, the language and, with a body, its type. */
function requestHeaders(hasBody: boolean): Record<string, string> {
  const user = currentUser()
  return {
    'New-Api-User': user ? String(user.id) : NO_USER_ID,
    'Accept-Language': currentLanguage(),
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
  }
}

/** URL of a call. `:name` comes from `params`; empty and undefined query values are left out. */
export function callUrl(endpoint: AnyEndpoint, input: AnyInput): string {
  const params = new Map<string, unknown>(Object.entries(input.params ?? {}))
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params.get(name))),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return basePath + (query.size === 0 ? path : `${path}?${query}`)
}

export interface Envelope {
  readonly success?: boolean
  readonly message?: string
  readonly code?: string
  readonly data?: unknown
}

async function readEnvelope(response: Response): Promise<Envelope | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

export function toCallError(
  failure: CallError['failure'],
  response: Response,
  envelope: Envelope | undefined,
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

/**
 * Replies that do not match the schema are passed on, so that the page shows what it can. The console reports the
 * paths of the mismatch, never the values.
 */
function parseReply(endpoint: AnyEndpoint, schema: AnyEndpoint['reply'], found: unknown) {
  const parsed = schema.safeParse(found)
  if (parsed.success) return parsed.data
  const paths = parsed.error.issues.map(issue => issue.path.join('.')).join(', ')
  // biome-ignore lint/suspicious/noConsole: the operator's only trace of a reply that does not match
  console.warn(`${endpoint.method} ${endpoint.path}: unexpected reply at ${paths || 'data'}`)
  return found
}

type CallFailure = 'refused' | 'status' | 'expired' | 'offline' | 'timeout' | 'unreadable'

/** A failed call. `expired` needs no handling: the sign-in page is already opening. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: CallFailure
  /** HTTP status; 0 when there was no response. */
  readonly status: number
  /** Stable, machine-readable error code. */
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

const t = translatorOf(appText)

/** User-facing message of a failure, with the prefix of the specification. */
export function errorText(error: unknown): string {
  if (!(error instanceof CallError))
    return t('errorPrefix', { message: error instanceof Error ? error.message : String(error) })
  if (error.failure === 'offline') return t('unreachable')
  if (error.failure === 'timeout') return t('timeout')
  if (error.failure === 'unreadable') return t('unreadable')
  if (error.failure === 'expired') return t('loginExpired')
  return statusText(error.status) ?? t('errorPrefix', { message: error.message })
}

/** Like `errorText`, but a rejection keeps the server's own message without a prefix: for use inside forms. */
export function plainErrorText(error: unknown): string {
  return error instanceof CallError && error.failure === 'refused' ? error.message : errorText(error)
}

function statusText(status: number): string | undefined {
  if (status === 429) return t('tooManyRequests')
  if (status === 500) return t('serverError')
  if (status === 405) return t('demoOnly')
  return undefined
}
