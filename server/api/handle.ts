import type {
  AnyEndpoint,
  MetaOf,
  BodyOf,
  DataOf,
  Endpoint,
  ParamsOf,
  QueryOf,
} from '#contract/endpoint.ts'
import type { Language } from '../core/api-error.ts'
import type { ApiContext } from './context.ts'
import { parseInput } from './parse-input.ts'
import { refuseNul } from './refuse-nul.ts'

/** What came with a request, still unread. */
export interface Sent {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON; undefined when nothing was sent. */
  readonly body: unknown
}

/** An answer with something beside its data, or with a message. */
export interface Reply<Data, Beside> {
  readonly data?: Data
  readonly beside?: Beside
  readonly message?: string
  readonly isSuccess?: boolean
}

/** One call, bound to the work that answers it. */
export interface Route {
  readonly endpoint: AnyEndpoint
  /** Reads what was sent and does the work. A Response is answered as it is. */
  run(context: ApiContext, sent: Sent): Promise<Reply<unknown, object> | Response>
}

type Input<E> = ApiContext & {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
}

/** What the work gives: nothing where the endpoint has no data. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function without `return` gives a promise of void
type Given<E> = [DataOf<E>] extends [undefined] ? void : DataOf<E>

/** Binds an endpoint to its work: the work gets checked input and gives the data, which stands alone in the reply. */
export const handle = <E extends AnyEndpoint>(
  endpoint: E,
  work: (input: Input<E>) => Promise<Given<E>>,
): Route =>
  handleReply(endpoint, async input => ({ data: await work(input) }) as Reply<DataOf<E>, MetaOf<E>>)

/**
 * As `handle`, for calls that answer more than `data`, or no JSON at all. The work sees its input as the endpoint's
 * schemas gave it: they are the same schemas from which its types are made.
 */
export function handleReply<E extends AnyEndpoint>(
  endpoint: E,
  work: (input: Input<E>) => Promise<Reply<DataOf<E>, MetaOf<E>> | Response>,
): Route {
  return {
    endpoint,
    run: (context, sent) => work({ ...context, ...inputOf(endpoint, sent, context.language) } as Input<E>),
  }
}

/** As `handleReply`, for a call that is answered to two methods. */
export const handleBoth = <E extends AnyEndpoint>(
  endpoints: readonly [E, E],
  work: (input: Input<E>) => Promise<Reply<DataOf<E>, MetaOf<E>> | Response>,
): readonly Route[] => endpoints.map(endpoint => handleReply(endpoint, work))

type AnyInput = Endpoint<unknown, unknown, unknown, unknown, unknown>

function inputOf(endpoint: AnyInput, sent: Sent, language: Language) {
  refuseNul([sent.params, sent.query, sent.body])
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
