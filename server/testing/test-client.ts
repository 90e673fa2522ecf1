import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint, BodyOf, DataOf, ParamsOf } from '#contract/endpoint.ts'
import type { App } from '../http/app.ts'

const ORIGIN = 'http://tollgate.test'

/** A response of the management API, parsed. */
export interface TestResponse<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly success: boolean | undefined
  readonly message: string
  readonly code: string | undefined
  /** The result; undefined for an error. */
  readonly data: Data
  readonly envelope: Readonly<Record<string, unknown>>
}

interface Input<E> {
  readonly params?: ParamsOf<E>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Tests also send bodies that the contract does not allow. */
  readonly body?: BodyOf<E> | object
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestClient {
  /** 0 for a visitor. */
  readonly id: number
  /** The session cookie as in a `cookie` header; empty for a visitor. */
  readonly cookie: string
  call<E extends AnyEndpoint>(endpoint: E, input?: Input<E>): Promise<TestResponse<DataOf<E>>>
  /** Sends any request with the client's cookie and user header. `address` is the client address. */
  fetch(path: string, init?: RequestInit, address?: string): Promise<Response>
  signIn(user: { id: number; username: string; password: string }): Promise<TestClient>
}

/** A client of the app. It checks each response against its endpoint, so that no undeclared field goes unnoticed. */
export function createTestClient(app: App, identity = { id: 0, cookie: '' }): TestClient {
  const send = (path: string, init: RequestInit = {}, address = '127.0.0.1'): Promise<Response> => {
    const headers = new Headers({ 'accept-language': 'en' })
    if (identity.cookie) headers.set('cookie', identity.cookie)
    if (identity.id) headers.set('new-api-user', String(identity.id))
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    return app.fetch(new Request(`${ORIGIN}${path}`, { ...init, headers }), {
      requestIP: () => ({ address }),
    })
  }
  const client: TestClient = {
    ...identity,
    fetch: send,
    async call(endpoint, { params, query = {}, body, headers = {} } = {}) {
      const response = await send(fillPath(endpoint, params ?? {}, query), {
        method: endpoint.method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return readResponse(endpoint, response)
    },
    async signIn({ id, username, password }) {
      const response = await client.call(login, { body: { username, password } })
      if (!response.success) throw new Error(`${username} could not sign in: ${response.message}`)
      return createTestClient(app, { id, cookie: cookieOf(response.headers) })
    },
  }
  return client
}

const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';')[0] ?? ''

function fillPath(
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

async function readResponse<E extends AnyEndpoint>(
  endpoint: E,
  response: Response,
): Promise<TestResponse<DataOf<E>>> {
  const envelope = JSON.parse(await response.text())
  const { success, message, code, data, ...meta } = envelope
  if (success) {
    assertDeclared(endpoint, 'data', endpoint.reply.parse(data), data)
    assertDeclared(endpoint, 'meta', endpoint.meta.parse(meta), meta)
  }
  return { status: response.status, headers: response.headers, success, message, code, data, envelope }
}

/** Parsing by the contract drops undeclared fields, so a difference means that the response leaks one. */
function assertDeclared(
  { method, path }: AnyEndpoint,
  part: string,
  declared: unknown,
  found: unknown,
): void {
  if (!Bun.deepEquals(declared, found))
    throw new Error(
      `${method} ${path} returns more ${part} than the contract declares: ${JSON.stringify(found)}`,
    )
}
