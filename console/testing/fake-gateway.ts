import type { AnyEndpoint, BodyOf, DataOf, MetaOf } from '#contract/endpoint.ts'

/** What the console sent in a call. Path parameters and the query are text; the body is as the contract parses it. */
export interface SentCall<E> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: BodyOf<E>
}

/** Thrown by a reply to refuse the call with this message. */
export class Refusal extends Error {}

type Reply<E> = (sent: SentCall<E>) => DataOf<E>

interface FakeEndpoint {
  readonly endpoint: AnyEndpoint
  readonly path: RegExp
  readonly reply: Reply<AnyEndpoint>
  readonly meta: object | undefined
  readonly calls: SentCall<AnyEndpoint>[]
}

/** The management API as tests need it: endpoints of the contract with the replies of a test. */
export interface FakeGateway {
  /** Replies to an endpoint from now on. `meta` are further fields of the envelope, such as the total of a list. */
  on<E extends AnyEndpoint>(endpoint: E, reply: Reply<E>, meta?: MetaOf<E>): FakeGateway
  /** The calls of an endpoint so far. */
  sent<E extends AnyEndpoint>(endpoint: E): ReadonlyArray<SentCall<E>>
  /** Calls without a reply, and bodies and replies that the contract rejects. */
  readonly problems: readonly string[]
  readonly fetch: (url: string, request?: RequestInit) => Promise<Response>
}

export function createFakeGateway(): FakeGateway {
  const fakes: FakeEndpoint[] = []
  const problems: string[] = []
  const gateway: FakeGateway = {
    on(endpoint, reply, meta) {
      fakes.unshift({ endpoint, reply, meta, calls: [], path: pathPattern(endpoint) })
      return gateway
    },
    sent: endpoint => fakes.filter(fake => fake.endpoint === endpoint).flatMap(({ calls }) => calls),
    problems,
    async fetch(url, { method = 'GET', body } = {}) {
      const { pathname, searchParams } = new URL(url, 'http://console.test')
      const matching = fakes.filter(({ endpoint, path }) => endpoint.method === method && path.test(pathname))
      // A parameter matches any name, such as that of a search beside it.
      const fake = matching.find(({ endpoint }) => !endpoint.path.includes(':')) ?? matching[0]
      if (!fake) problems.push(`no reply to ${method} ${pathname}`)
      return Response.json(
        fake
          ? replyOf(fake, problems, {
              params: fake.path.exec(pathname)?.groups ?? {},
              query: Object.fromEntries(searchParams),
              body: typeof body === 'string' ? JSON.parse(body) : undefined,
            })
          : { success: false, message: 'no reply' },
      )
    },
  }
  return gateway
}

const pathPattern = ({ path }: AnyEndpoint): RegExp =>
  new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\/$/, '')}/?$`)

function replyOf(fake: FakeEndpoint, problems: string[], sent: SentCall<AnyEndpoint>): object {
  const { endpoint, reply, meta, calls } = fake
  const body = endpoint.body.safeParse(sent.body)
  if (!body.success) problems.push(`body of ${endpoint.method} ${endpoint.path}: ${body.error.message}`)
  const call = { ...sent, body: body.success ? body.data : sent.body }
  calls.push(call)
  try {
    const data: unknown = reply(call)
    const parsed = endpoint.reply.safeParse(data)
    if (!parsed.success) problems.push(`${endpoint.method} ${endpoint.path}: ${parsed.error.message}`)
    return { success: true, message: '', data, ...meta }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { success: false, message: error.message }
  }
}
