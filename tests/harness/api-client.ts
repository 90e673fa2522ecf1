import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint, DataOf, Envelope } from '#contract/endpoint.ts'

interface Input {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
}

interface ClientResponse {
  readonly status: number
  readonly envelope: Envelope<unknown>
}

/** A signed-in user who calls the management API as the console does. */
export interface AdminClient {
  readonly userId: number
  /** Value of the `Cookie` header. */
  readonly cookie: string
  /** Returns `data`, validated against the contract. Throws with the message of an error. */
  call<E extends AnyEndpoint>(endpoint: E, input?: Input): Promise<DataOf<E>>
  /** Returns the response whatever its status. */
  send(endpoint: AnyEndpoint, input?: Input): Promise<ClientResponse>
}

/** Signs in with a password. Throws with the message of an error. */
export async function signIn(
  url: string,
  credentials: { readonly username: string; readonly password: string },
): Promise<AdminClient> {
  const response = await send(url, login, { body: credentials }, {})
  const envelope = await readEnvelope(response)
  if (!envelope.success) throw new Error(`the sign-in failed: ${envelope.message}`)
  const { id: userId } = login.reply.parse(envelope.data)
  const cookie = response.headers
    .getSetCookie()
    .map(line => line.split(';')[0] ?? '')
    .join('; ')
  return resume(url, { userId, cookie })
}

interface Continued extends Pick<AdminClient, 'userId' | 'cookie'> {
  /** For which the calls are made. */
  readonly organization?: number
}

/** Continues a session, for example on another process with the same database. */
export function resume(url: string, { userId, cookie, organization }: Continued): AdminClient {
  const acting = organization !== undefined && { 'x-tollgate-organization': String(organization) }
  const sendAs = async (endpoint: AnyEndpoint, input: Input = {}): Promise<ClientResponse> => {
    const response = await send(url, endpoint, input, { cookie, 'new-api-user': String(userId), ...acting })
    return { status: response.status, envelope: await readEnvelope(response) }
  }
  return {
    userId,
    cookie,
    send: sendAs,
    async call(endpoint, input) {
      const { status, envelope } = await sendAs(endpoint, input)
      if (!envelope.success)
        throw new Error(`${endpoint.method} ${endpoint.path} failed (${status}): ${envelope.message}`)
      return endpoint.reply.parse(envelope.data)
    },
  }
}

function send(
  url: string,
  endpoint: AnyEndpoint,
  { params = {}, query = {}, body }: Input,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return fetch(`${url}${path}?${search}`, {
    method: endpoint.method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Safe cast: the API tests verify the shape of the envelope. */
async function readEnvelope(response: Response): Promise<Envelope<unknown>> {
  const text = await response.text()
  try {
    return JSON.parse(text) as Envelope<unknown>
  } catch (cause) {
    throw new Error(`expected an envelope, found (${response.status}): ${text.slice(0, 500)}`, { cause })
  }
}
