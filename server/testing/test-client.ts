import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint, BodyOf, DataOf, ParamsOf } from '#contract/endpoint.ts'
import type { App } from '../http/app.ts'

const ORIGIN = 'http://tollgate.test'

/** One answer, read. */
export interface TestResponse<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly success: boolean | undefined
  readonly message: string
  readonly code: string | undefined
  /** Throws when the answer has none: look at `message` first where a refusal is possible. */
  readonly data: Data
  readonly envelope: Readonly<Record<string, unknown>>
}

interface Input<E> {
  readonly params?: ParamsOf<E>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** What goes over the wire: tests also send what the contract does not allow. */
  readonly body?: BodyOf<E> | object
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestClient {
  /** 0 for a visitor. */
  readonly id: number
  /** The session cookie as a `cookie` header has it; empty for a visitor. */
  readonly cookie: string
  call<E extends AnyEndpoint>(endpoint: E, input?: Input<E>): Promise<TestResponse<DataOf<E>>>
  /** Any request, with the client's cookie and user header. `address` is where it comes from. */
  fetch(path: string, init?: RequestInit, address?: string): Promise<Response>
  signIn(user: { id: number; username: string; password: string }): Promise<TestClient>
}

/** A caller of the app. It checks each answer against its endpoint, so that nothing undeclared gets out unseen. */
export function createTestClient(app: App, who = { id: 0, cookie: '' }): TestClient {
  const send = (path: string, init: RequestInit = {}, address = '127.0.0.1'): Promise<Response> => {
    const headers = new Headers({ 'accept-language': 'en' })
    if (who.cookie) headers.set('cookie', who.cookie)
    if (who.id) headers.set('new-api-user', String(who.id))
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    return app.fetch(new Request(`${ORIGIN}${path}`, { ...init, headers }), {
      requestIP: () => ({ address }),
    })
  }
  const client: TestClient = {
    ...who,
    fetch: send,
    async call(endpoint, { params, query = {}, body, headers = {} } = {}) {
      const response = await send(addressOf(endpoint, params ?? {}, query), {
        method: endpoint.method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return checked(endpoint, response)
    },
    async signIn({ id, username, password }) {
      const answer = await client.call(login, { body: { username, password } })
      if (!answer.success) throw new Error(`${username} could not sign in: ${answer.message}`)
      return createTestClient(app, { id, cookie: cookieOf(answer.headers) })
    },
  }
  return client
}

const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';')[0] ?? ''

function addressOf(
  { path }: AnyEndpoint,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  return search.size > 0 ? `${filled}?${search}` : filled
}

async function checked<E extends AnyEndpoint>(
  endpoint: E,
  response: Response,
): Promise<TestResponse<DataOf<E>>> {
  const envelope = JSON.parse(await response.text())
  const { success, message, code, data, ...meta } = envelope
  if (success) {
    assertDeclared(endpoint, 'data', endpoint.reply.parse(data), data)
    assertDeclared(endpoint, 'beside', endpoint.meta.parse(meta), meta)
  }
  return { status: response.status, headers: response.headers, success, message, code, data, envelope }
}

/** Parsing by the contract drops what it does not name: what is dropped has leaked. */
function assertDeclared(
  { method, path }: AnyEndpoint,
  part: string,
  declared: unknown,
  found: unknown,
): void {
  if (!Bun.deepEquals(declared, found))
    throw new Error(`${method} ${path} answers more ${part} than the contract says: ${JSON.stringify(found)}`)
}
