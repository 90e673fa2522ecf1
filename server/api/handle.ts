import { z } from 'zod'
import type {
  AnyEndpoint,
  BodyOf,
  DataOf,
  Endpoint,
  MetaOf,
  ParamsOf,
  QueryOf,
  RowOutcome,
} from '#contract/endpoint.ts'
import { ApiError } from '../core/api-error.ts'
import { ownEntry } from '../core/json/json.ts'
import type { Language } from '../core/language.ts'
import type { ApiContext } from './context.ts'
import { parseInput, rejectNul } from './parse-input.ts'
import { requirePresence } from './recent-sign-in.ts'

/** The input of a request before validation. */
export interface RequestInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON; undefined when nothing was sent. */
  readonly body: unknown
}

/** A result that has more than `data`: further envelope fields (`meta`), or a message. */
export interface HandlerResult<Data, Meta> {
  readonly data?: Data
  readonly meta?: Meta
  readonly message?: string
  readonly isSuccess?: boolean
}

/** An endpoint bound to its handler. */
export interface Route {
  readonly endpoint: AnyEndpoint
  /** Checks what the endpoint needs, validates the input and runs the handler. A Response is passed on unchanged, without the JSON envelope. */
  run(context: ApiContext, input: RequestInput): Promise<HandlerResult<unknown, object> | Response>
}

export type HandlerInput<E> = ApiContext & {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
}

/** The data that a handler returns; nothing for endpoints without data. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function without `return` gives a promise of void
type HandlerData<E> = [DataOf<E>] extends [undefined] ? void : DataOf<E>

/** Binds an endpoint to a handler that receives validated input and returns the `data` of the response. */
export const handle = <E extends AnyEndpoint>(
  endpoint: E,
  work: (input: HandlerInput<E>) => Promise<HandlerData<E>>,
): Route =>
  handleResult(endpoint, async input => ({ data: await work(input) }) as HandlerResult<DataOf<E>, MetaOf<E>>)

/**
 * Like `handle`, for endpoints that return more than `data`, or no JSON at all. The cast is safe: the input types are
 * inferred from the same schemas that parse the input.
 */
export function handleResult<E extends AnyEndpoint>(
  endpoint: E,
  work: (input: HandlerInput<E>) => Promise<HandlerResult<DataOf<E>, MetaOf<E>> | Response>,
): Route {
  return {
    endpoint,
    async run(context, input) {
      requirePresence(endpoint.needs, context.session)
      const parsed = parseRequestInput(endpoint, input, context.language)
      if (endpoint.needsFor)
        requirePresence(await presenceFor(endpoint, parsed.body, context), context.session)
      if ((endpoint.audit ?? (endpoint.method === 'GET' ? 'none' : 'success')) === 'none')
        return work({ ...context, ...parsed } as HandlerInput<E>)
      return recordCall({ ...context, ...parsed } as HandlerInput<E>, endpoint, work)
    },
  }
}

/** Runs the handler and tells those who record calls how it ended, before the response is sent. */
async function recordCall<E extends AnyEndpoint, Reply extends HandlerResult<unknown, object> | Response>(
  input: HandlerInput<E>,
  endpoint: E,
  work: (input: HandlerInput<E>) => Promise<Reply>,
): Promise<Reply> {
  const { settings, session, caller, clientIp: address } = input
  const credential = session.exists ? 'session' : caller.id === 0 ? 'none' : 'access-token'
  const call = { ...input, options: settings.options, endpoint, input, credential, address } as const
  const { willChange, ended } = await input.events.callStarted(call)
  let reply: Reply
  try {
    reply = await work({ ...input, willChange })
  } catch (error) {
    await ended({ code: error instanceof ApiError ? error.code : 'internal_error' })
    throw error
  }
  await ended({ code: '', ...(!(reply instanceof Response) && { data: reply.data }) })
  return reply
}

/** Another process may have changed the options just now, so they are read anew. */
async function presenceFor({ needsFor }: AnyEndpoint, body: unknown, { caller, settings }: ApiContext) {
  await settings.refresh()
  const { texts } = settings.current()
  return needsFor?.({
    body,
    callerId: caller.id,
    needsOfOption(key, text) {
      const option = ownEntry(settings.options, key)
      return text === texts[key] ? undefined : (option?.needs ?? option?.section.needs)
    },
  })
}

type AnyInput = Endpoint<unknown, unknown, unknown, unknown, unknown>

function parseRequestInput(endpoint: AnyInput, { params, query, body }: RequestInput, language: Language) {
  rejectNul([params, query, body])
  return {
    params: parseInput(endpoint.params, params, language),
    query: parseInput(endpoint.query, query, language),
    body: parseInput(endpoint.body, toPayload(endpoint, body), language),
  }
}

/** A call without a payload takes `{}`, and an endpoint without a body takes any: clients send `{}` with every POST. */
function toPayload({ body: schema }: AnyInput, body: unknown): unknown {
  if (schema instanceof z.ZodUndefined) return undefined
  return withoutNulls(body) ?? {}
}

/** Clients of this API send null for absent fields. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body ?? undefined
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

/** Runs `work` for each id, one after another. An API error becomes the outcome of its row; the others continue. */
export async function forEachRow(
  ids: readonly number[],
  { language }: Pick<ApiContext, 'language'>,
  work: (id: number) => Promise<unknown>,
): Promise<RowOutcome[]> {
  const rows: RowOutcome[] = []
  for (const id of new Set(ids)) {
    const error = await catchApiError(() => work(id))
    rows.push({
      id,
      success: error === undefined,
      code: error?.code ?? '',
      message: error?.in(language) ?? '',
    })
  }
  return rows
}

async function catchApiError(work: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
