import SCIMMY from 'scimmy'
import { z } from 'zod'
import type { PlainRequest } from '#server/api/plain-route.ts'
import { errorMessage, GatewayError } from '#server/core/errors.ts'
import { KIB } from '#server/core/limits.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import type { Services } from '#server/feature.ts'
import { OPENID_PATHS } from '../../contract/openid.ts'
import { hashScimToken, type OpenIdProvider, requireAddress, toProvider } from '../openid/provider.ts'
import { findProviderByScimToken } from '../openid/queries.ts'
import { COUNT_MAX, listResources, type ScimKind, type ScimQuery } from './lists.ts'
import {
  deleteGroup,
  deleteUser,
  requireGroup,
  requireUser,
  type ScimContext,
  scimError,
  toScimGroup,
  toScimUser,
  versionOf,
  writeGroup,
  writeUser,
} from './resources.ts'
import type { ScimGroupTable, ScimUserTable } from './tables.ts'

const BODY_BYTES_MAX = 512 * KIB
const TYPE = 'application/scim+json'
const WINDOW_MS = 60_000
const CALLS: RateLimit = { name: 'SCIM calls', limit: 1200, windowMs: WINDOW_MS }
const WRONG_TOKENS: RateLimit = { name: 'wrong SCIM tokens', limit: 30, windowMs: WINDOW_MS }

SCIMMY.Config.set({
  patch: true,
  filter: COUNT_MAX,
  etag: true,
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token that the settings of the identity provider show once',
      specUri: 'https://datatracker.ietf.org/doc/html/rfc6750',
    },
  ],
})
/** The library allows no value at all where the specification names none. Source: RFC 7643, section 8.7.1. */
for (const name of ['roles', 'x509Certificates']) {
  const { subAttributes = [] } = Object(SCIMMY.Schemas.User.definition.attribute(name))
  for (const { name: part, config } of subAttributes) if (part === 'type') config.canonicalValues = false
}
SCIMMY.Resources.declare(SCIMMY.Resources.User)
SCIMMY.Resources.declare(SCIMMY.Resources.Group)

export type ScimDeps = Pick<Services, 'db' | 'secrets' | 'settings' | 'log' | 'rateLimiter' | 'events'>

/** SCIM 2.0 for the identity providers. Source: RFC 7644. */
export async function respondScim(call: PlainRequest, deps: ScimDeps): Promise<Response> {
  try {
    return await serve(call, deps)
  } catch (error) {
    return toErrorResponse(error, call, deps)
  }
}

async function serve(call: PlainRequest, deps: ScimDeps): Promise<Response> {
  const provider = await authenticate(call, deps)
  const { requestId, clientIp: address, request } = call
  const base = requireAddress(deps) + OPENID_PATHS.scim
  const context: ScimContext = { ...deps, provider, method: request.method, requestId, address, base }
  for (const resource of [
    SCIMMY.Resources.Schema,
    SCIMMY.Resources.ResourceType,
    SCIMMY.Resources.ServiceProviderConfig,
  ])
    resource.basepath(base)
  const { pathname, searchParams } = new URL(call.request.url)
  const [kind = '', id = ''] = pathname
    .slice(pathname.indexOf(OPENID_PATHS.scim) + OPENID_PATHS.scim.length + 1)
    .split('/')
  if (kind === 'Users' || kind === 'Groups')
    return serveResource({ call, kind, id: decodeURIComponent(id), search: searchParams, context })
  if (kind === '.search' && call.request.method === 'POST')
    return searchAll({ call, search: toSearch(await readBody(call), searchParams), context })
  if (call.request.method !== 'GET') throw scimError(405, '', 'this can only be read')
  return respond(200, await describe(kind, decodeURIComponent(id), searchParams))
}

async function authenticate(
  { request, network }: PlainRequest,
  { db, secrets, rateLimiter }: ScimDeps,
): Promise<OpenIdProvider> {
  const token = (request.headers.get('authorization') ?? '').replace(/^Bearer\s+/i, '').trim()
  const row = token === '' ? undefined : await findProviderByScimToken(db, hashScimToken(secrets, token))
  const { isAllowed, retryAfterMs } = row
    ? await rateLimiter.take(CALLS, row.slug)
    : await rateLimiter.take(WRONG_TOKENS, network)
  if (!isAllowed) throw new TooManyCalls(Math.ceil(retryAfterMs / 1000))
  if (!row) throw scimError(401, '', 'the bearer token is not valid')
  return toProvider(row, secrets)
}

class TooManyCalls extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`too many calls; try again in ${seconds} s`)
    this.seconds = seconds
  }
}

async function describe(kind: string, id: string, search: URLSearchParams): Promise<object> {
  if (search.has('filter')) throw scimError(403, '', 'this list has no filters')
  const named = id === '' ? undefined : id
  if (kind === 'ServiceProviderConfig') return new SCIMMY.Resources.ServiceProviderConfig().read()
  if (kind === 'Schemas') return new SCIMMY.Resources.Schema(named).read()
  if (kind === 'ResourceTypes') return new SCIMMY.Resources.ResourceType(named).read()
  throw scimError(404, '', `there is no ${kind}`)
}

interface ResourceCall {
  readonly call: PlainRequest
  readonly kind: ScimKind
  readonly id: string
  readonly search: URLSearchParams
  readonly context: ScimContext
}

async function serveResource(resource: ResourceCall): Promise<Response> {
  const { call, id, search } = resource
  const { method } = call.request
  if (id !== '' && id !== '.search') return serveStored(resource)
  if (method === 'GET') return list(resource)
  if (method !== 'POST') throw scimError(405, '', 'name the resource in the path')
  const body = await readBody(call)
  return id === '' ? write(resource, body) : list({ ...resource, search: toSearch(body, search) })
}

async function serveStored(resource: ResourceCall): Promise<Response> {
  const { call, kind, id, context } = resource
  const { method, headers } = call.request
  const stored = kind === 'Users' ? await requireUser(id, context) : await requireGroup(id, context)
  if (method === 'GET') return show(resource, stored)
  const expected = headers.get('if-match') ?? '*'
  if (expected !== '*' && expected !== versionOf(stored))
    throw scimError(412, '', `the version is ${versionOf(stored)} now`)
  if (method === 'PUT') return write(resource, await readBody(call))
  if (method === 'PATCH') return patch(resource, await readBody(call), stored)
  if (method !== 'DELETE') throw scimError(405, '', `${method} is not served`)
  await (kind === 'Users' ? deleteUser(id, context) : deleteGroup(id, context))
  return new Response(null, { status: 204 })
}

async function readBody(call: PlainRequest): Promise<unknown> {
  try {
    return JSON.parse(await call.readText(BODY_BYTES_MAX))
  } catch (error) {
    if (error instanceof SyntaxError) throw scimError(400, 'invalidSyntax', 'the body is not JSON')
    throw error
  }
}

/** A search request has the parameters of a list in its body. Source: RFC 7644, section 3.4.3. */
const toSearch = (body: unknown, search: URLSearchParams): URLSearchParams =>
  new URLSearchParams([
    ...search,
    ...Object.entries(Object(body)).map(([name, value]) => [name, String(value)] as [string, string]),
  ])

const toNumber = (text: string | null, fallback: number, least: number): number => {
  const number = text === null ? fallback : Number(text)
  return Number.isInteger(number) ? Math.max(number, least) : fallback
}

function toQuery(search: URLSearchParams): ScimQuery {
  const filter = search.get('filter')
  return {
    ...(filter !== null && { filter }),
    startIndex: toNumber(search.get('startIndex'), 1, 1),
    count: Math.min(toNumber(search.get('count'), COUNT_MAX, 0), COUNT_MAX),
  }
}

async function list(resource: ResourceCall): Promise<Response> {
  const query = toQuery(resource.search)
  const { totalResults, resources } = await listResources(resource.kind, query, resource.context)
  return respondList(
    query,
    totalResults,
    resources.map(found => toOutput(resource, found)),
  )
}

/** Users and groups that match, in this order. Source: RFC 7644, section 3.4.3. */
async function searchAll(call: Omit<ResourceCall, 'kind' | 'id'>): Promise<Response> {
  const query = toQuery(call.search)
  const found: object[] = []
  let total = 0
  for (const kind of ['Users', 'Groups'] as const) {
    const rest = {
      ...query,
      startIndex: Math.max(query.startIndex - total, 1),
      count: query.count - found.length,
    }
    const { totalResults, resources } = await listResources(kind, rest, call.context)
    found.push(...resources.map(resource => toOutput({ ...call, kind }, resource)))
    total += totalResults
  }
  return respondList(query, total, found)
}

const respondList = (
  { startIndex }: ScimQuery,
  totalResults: number,
  Resources: readonly object[],
): Response =>
  respond(200, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    itemsPerPage: Resources.length,
    startIndex,
    Resources,
  })

/** A resource as its schema has it, with the attributes that the caller wants. */
function toOutput(
  { kind, search, context: { base } }: Pick<ResourceCall, 'kind' | 'search' | 'context'>,
  resource: object,
): object {
  const names = (name: string) =>
    search
      .get(name)
      ?.split(',')
      .map(part => part.trim()) ?? []
  const included = names('attributes').map(name => `${name} pr`)
  const excluded = names('excludedAttributes').map(name => `${name} np`)
  const filter = [...included, ...excluded].join(' and ')
  const attributes = filter === '' ? undefined : new SCIMMY.Types.Filter(filter)
  const Schema = kind === 'Users' ? SCIMMY.Schemas.User : SCIMMY.Schemas.Group
  const output = new Schema(resource, 'out', `${base}/${kind}`, attributes)
  return { ...output, schemas: [Schema.definition.id] }
}

async function toResource(row: ScimUserTable | ScimGroupTable, context: ScimContext): Promise<object> {
  return 'user_id' in row ? toScimUser(row) : toScimGroup(row, context)
}

async function show(
  resource: ResourceCall,
  row: ScimUserTable | ScimGroupTable,
  status = 200,
): Promise<Response> {
  const { call, context } = resource
  const headers = { etag: versionOf(row) }
  if (call.request.method === 'GET' && call.request.headers.get('if-none-match') === versionOf(row))
    return new Response(null, { status: 304, headers })
  const output = toOutput(resource, await toResource(row, context))
  return respond(status, output, headers)
}

async function write(resource: ResourceCall, body: unknown): Promise<Response> {
  const { kind, id, context } = resource
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw scimError(400, 'invalidSyntax', 'the body is not an object')
  const named = id === '' ? undefined : id
  const row =
    kind === 'Users'
      ? await writeUser(named, new SCIMMY.Schemas.User(body, 'in'), context)
      : await writeGroup(named, new SCIMMY.Schemas.Group(body, 'in'), context)
  return show(resource, row, named === undefined ? 201 : 200)
}

/** The library applies the operations; what it changed is written like a replacement. */
async function patch(
  resource: ResourceCall,
  body: unknown,
  stored: ScimUserTable | ScimGroupTable,
): Promise<Response> {
  const { kind, context } = resource
  const Schema = kind === 'Users' ? SCIMMY.Schemas.User : SCIMMY.Schemas.Group
  let written = stored
  await new SCIMMY.Messages.PatchOp(parsePatch(body)).apply(
    new Schema(await toResource(stored, context), 'out'),
    async (changed: object) => {
      written =
        kind === 'Users'
          ? await writeUser(stored.id, new SCIMMY.Schemas.User(changed, 'in'), context)
          : await writeGroup(stored.id, new SCIMMY.Schemas.Group(changed, 'in'), context)
      return new Schema(await toResource(written, context), 'out')
    },
  )
  return show(resource, written)
}

/** Microsoft Entra writes `active` as a text. Source: its list of known issues of SCIM. */
const toBoolean = (value: unknown): unknown =>
  typeof value === 'string' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value

const PatchOperation = z
  .object({
    op: z
      .string()
      .toLowerCase()
      .pipe(z.enum(['add', 'remove', 'replace'])),
    path: z.string().optional(),
    value: z.unknown().optional(),
  })
  .transform(({ op, path, value }) => {
    const fields = path === undefined && typeof value === 'object' && value !== null && 'active' in value
    return {
      op,
      ...(path !== undefined && { path }),
      ...(value !== undefined && {
        value: fields
          ? { ...value, active: toBoolean(value.active) }
          : path === 'active'
            ? toBoolean(value)
            : value,
      }),
    }
  })

const PatchBody = z.object({
  schemas: z.tuple([z.literal('urn:ietf:params:scim:api:messages:2.0:PatchOp')]),
  Operations: z.array(PatchOperation),
})

function parsePatch(body: unknown): z.output<typeof PatchBody> {
  const parsed = PatchBody.safeParse(body)
  if (!parsed.success) throw scimError(400, 'invalidSyntax', z.prettifyError(parsed.error))
  return parsed.data
}

const respond = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': TYPE, ...headers } })

function toErrorResponse(error: unknown, { requestId }: PlainRequest, { log }: ScimDeps): Response {
  const { status, type, detail } = toScimProblem(error)
  if (status >= 500) log.error('a SCIM call failed', { request_id: requestId, error })
  const headers = error instanceof TooManyCalls ? { 'retry-after': String(error.seconds) } : {}
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(type && { scimType: type }),
    detail,
  }
  return respond(status, body, headers)
}

interface ScimProblem {
  readonly status: number
  readonly type?: string | undefined
  readonly detail: string
}

/** The library throws its own errors for what it can name, and type errors for values that a schema does not allow. */
function toScimProblem(error: unknown): ScimProblem {
  if (error instanceof SCIMMY.Types.Error)
    return { status: Number(error.status), type: error.scimType, detail: error.message }
  if (error instanceof TooManyCalls) return { status: 429, detail: error.message }
  if (error instanceof GatewayError) return { status: error.status, detail: error.message }
  if (error instanceof TypeError) return { status: 400, type: 'invalidValue', detail: errorMessage(error) }
  return { status: 500, detail: 'internal error' }
}
