import type { AnyEndpoint, MetaOf, BodyOf, DataOf, Endpoint, ParamsOf, QueryOf, RowOutcome } from '#contract/endpoint.ts'
import { type Language, ApiError } from '../core/api-error.ts'
import type { ApiContext } from './context.ts'
import { parseInput, rejectNul } from './parse-input.ts'

/** What came with a request, still unread. */
export interface RequestInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON; undefined when nothing was sent. */
  readonly body: unknown
}

/** An answer with something beside its data, or with a message. */
export interface HandlerResult<Data, Beside> {
  readonly data?: Data
  readonly meta?: Beside
  readonly message?: string
  readonly isSuccess?: boolean
}

/** One call, bound to the work that answers it. */
export interface Route {
  readonly endpoint: AnyEndpoint
  /** Reads what was sent and does the work. A Response is answered as it is. */
  run(context: ApiContext, sent: RequestInput): Promise<HandlerResult<unknown, object> | Response>
}

type HandlerInput<E> = ApiContext & {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
}

/** What the work gives: nothing where the endpoint has no data. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function without `return` gives a promise of void
type HandlerData<E> = [DataOf<E>] extends [undefined] ? void : DataOf<E>

/** Binds an endpoint to its work: the work gets checked input and gives the data, which stands alone in the reply. */
export const handle = <E extends AnyEndpoint>(
  endpoint: E,
  work: (input: HandlerInput<E>) => Promise<HandlerData<E>>,
): Route =>
  handleResult(endpoint, async input => ({ data: await work(input) }) as HandlerResult<DataOf<E>, MetaOf<E>>)

/**
 * As `handle`, for calls that answer more than `data`, or no JSON at all. The work sees its input as the endpoint's
 * schemas gave it: they are the same schemas from which its types are made.
 */
export function handleResult<E extends AnyEndpoint>(
  endpoint: E,
  work: (input: HandlerInput<E>) => Promise<HandlerResult<DataOf<E>, MetaOf<E>> | Response>,
): Route {
  return {
    endpoint,
    run: (context, sent) => work({ ...context, ...inputOf(endpoint, sent, context.language) } as HandlerInput<E>),
  }
}

/** As `handleReply`, for a call that is answered to two methods. */
export const handleGetAndPost = <E extends AnyEndpoint>(
  endpoints: readonly [E, E],
  work: (input: HandlerInput<E>) => Promise<HandlerResult<DataOf<E>, MetaOf<E>> | Response>,
): readonly Route[] => endpoints.map(endpoint => handleResult(endpoint, work))

type AnyInput = Endpoint<unknown, unknown, unknown, unknown, unknown>

function inputOf(endpoint: AnyInput, sent: RequestInput, language: Language) {
  rejectNul([sent.params, sent.query, sent.body])
  return {
    params: parseInput(endpoint.params, sent.params, language),
    query: parseInput(endpoint.query, sent.query, language),
    body: parseInput(endpoint.body, withoutNulls(sent.body), language),
  }
}

/** Clients of this API send null for "not given". */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body ?? undefined
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

/** Does the same to each row, one after another. A row that is refused is told of, and the others go on. */
export async function forEachRow(
  ids: readonly number[],
  { language }: Pick<ApiContext, 'language'>,
  work: (id: number) => Promise<unknown>,
): Promise<RowOutcome[]> {
  const rows: RowOutcome[] = []
  for (const id of new Set(ids)) {
    const refusal = await errorFrom(() => work(id))
    rows.push({
      id,
      success: refusal === undefined,
      code: refusal?.code ?? '',
      message: refusal?.in(language) ?? '',
    })
  }
  return rows
}

async function errorFrom(work: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
