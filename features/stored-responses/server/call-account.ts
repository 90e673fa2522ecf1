import { nowSeconds } from '#server/core/clock.ts'
import { toHandle } from '#server/core/ids.ts'
import { ownMessage } from '#server/core/language.ts'
import { readResponseText } from '#server/http-client/read-response.ts'
import { connectionOwner, type Send } from '#server/http-client/send.ts'
import type {
  ChannelView,
  DialectName,
  NativeAdapter,
} from '#server/provider-kit/contract/operation-adapter.ts'
import { type Failure, readAdapterFailure } from '#server/provider-kit/failures.ts'
import { isObject, parseJson } from '#server/provider-kit/json.ts'
import { redactKey } from '#server/provider-kit/redact-key.ts'
import { limitRate, type RateLimitDeps } from '#server/relay/admission/admit.ts'
import type { AccountHandles } from '#server/relay/routing/account-handles.ts'
import { AttemptsFailed } from '#server/relay/routing/attempts.ts'
import type { RoutingDeps } from '#server/relay/routing/choose-route.ts'
import type { Caller } from '#server/relay/types.ts'

export interface AccountCallDeps extends RateLimitDeps, Pick<RoutingDeps, 'channels'> {
  readonly accountHandles: AccountHandles
  readonly send: Send
}

/** A call about what a provider stores. */
export interface AccountCall {
  readonly dialect: DialectName
  /** The id of what is stored. */
  readonly id: string
  readonly caller: Caller
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** What follows the id: a path, a query. */
  readonly rest: string
  readonly signal: AbortSignal
  /** The error where the user has not made what is stored, or its account is gone. */
  readonly notFound: (cause?: unknown) => Error
}

const TIMEOUT_MS = 60_000

/** Asks the account that stores it. Returns its JSON as text. Throws AttemptsFailed with the provider's error. */
export async function callAccount(call: AccountCall, deps: AccountCallDeps): Promise<string> {
  const { view, adapter } = await findAccount(call, deps)
  await limitRate(call.caller, { includesUser: false }, deps)
  const { url, headers } = adapter.request({
    channel: view,
    model: '',
    body: {},
    isStream: false,
    requestId: '',
    nowSeconds: nowSeconds(),
  })
  const sent = await deps.send(
    { url: below(url, `/${encodeURIComponent(call.id)}${call.rest}`), method: call.method, headers },
    {
      signal: call.signal,
      headersTimeoutMs: TIMEOUT_MS,
      proxy: view.setting.proxy,
      owner: connectionOwner(view),
    },
  )
  if (sent.kind === 'failure') throw toError(sent.failure, view)
  const { ok, status, headers: received } = sent.response
  const text = await readResponseText(sent, TIMEOUT_MS)
  if (!ok) throw toError(readAdapterFailure(adapter, status, text, received), view)
  if (!isObject(parseJson(text))) throw toError(NOT_JSON, view)
  return text
}

interface BoundChannel {
  readonly view: ChannelView
  readonly adapter: NativeAdapter
}

async function findAccount(
  { id, dialect, caller, notFound }: AccountCall,
  { accountHandles, channels }: AccountCallDeps,
): Promise<BoundChannel> {
  const references = { stored: [toHandle(id)], droppable: [] }
  const bound = await accountHandles.find(references, caller).catch((cause: unknown) => {
    throw notFound(cause)
  })
  if (!bound) throw notFound()
  const channel = channels.current().byId(bound.channelId)
  const view = channel?.views.find(one => accountHandles.isKeyOf(bound, one))
  const adapter = channel?.provider.native?.[dialect]
  if (!view || !adapter) throw notFound()
  return { view, adapter }
}

/** A URL below another one, which may have a query. */
function below(parent: string, rest: string): string {
  const url = new URL(parent)
  const [path, query] = rest.split('?')
  url.pathname += path
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.append(name, value)
  return url.href
}

const toError = (failure: Failure, { key }: ChannelView): AttemptsFailed =>
  new AttemptsFailed(redactKey(failure, key), { candidates: [], attempts: [] })

const NOT_JSON: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  ...ownMessage({ zh: '上游响应不是有效的 JSON', en: 'the upstream response is not valid JSON' }),
}
