import type { DialectName } from '../../provider-kit/contract/operation-adapter.ts'
import type { AuthMethod } from '../admission/authenticate.ts'
import type { LookupOperation, Operation, PublicPage } from '../operation.ts'
import { chat } from '../operations/chat.ts'
import { modelOperation } from '../operations/model-operation.ts'
import { embeddings, rerank } from '../operations/simple-operations.ts'
import type { RelayContext } from '../relay-context.ts'
import type { ModelOperation, PathParams, RelayCall } from '../types.ts'

/** A path of the relay, and what serves it. */
export type RelayRoute = OperationRoute | PublicRoute

interface RoutePath {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** An exact path, or a pattern whose groups become the parameters of the call. */
  readonly path: string | RegExp
  readonly dialect: DialectName
  /** Distinguishes two dialects with the same path. */
  readonly isFor?: (headers: Headers) => boolean
}

interface OperationRoute extends RoutePath {
  readonly auth: AuthMethod
  readonly target: Operation
}

/** A path that anyone may call, without an API key. */
interface PublicRoute extends RoutePath {
  readonly auth: 'none'
  readonly target: PublicPage
}

/** Responds to a query that calls no model. */
type Lookup = (query: LookupQuery, context: RelayContext) => Promise<Response>

/** What a lookup may read of its request. */
export interface LookupQuery extends RelayCall {
  /** The model that the path names. */
  readonly model: string | undefined
  /** The ids in the path. Empty where the path has none. */
  readonly id: string
  readonly itemId: string
}

type LookupTerms = Pick<LookupOperation, 'needsBalance'>

const lookup = (respond: Lookup, terms?: LookupTerms): LookupOperation => ({
  ...terms,
  finishes: 'lookup',
  respond(call, context) {
    const { model, id = '', itemId = '' } = call.params
    return respond({ ...call, model, id, itemId }, context)
  },
})

type Path = RoutePath['path']

export const at = (
  method: RoutePath['method'],
  path: Path,
  target: Operation,
  dialect: DialectName = 'openai',
): OperationRoute => ({ method, path, target, dialect, auth: 'token' })

export const get = (path: Path, respond: Lookup, dialect?: DialectName, terms?: LookupTerms): RelayRoute =>
  at('GET', path, lookup(respond, terms), dialect)
export const post = (path: Path, respond: Lookup, dialect?: DialectName, terms?: LookupTerms): RelayRoute =>
  at('POST', path, lookup(respond, terms), dialect)
export const deleteAt = (path: Path, respond: Lookup, dialect?: DialectName): RelayRoute =>
  at('DELETE', path, lookup(respond), dialect)

export const model = (path: Path, operation: ModelOperation, dialect?: DialectName): OperationRoute =>
  at('POST', path, modelOperation(operation), dialect)

/** Google's clients put model and method into the path. */
export const geminiPath = (methods: string): RegExp =>
  new RegExp(`^/v1(?:beta)?/models/(?<model>.+):(?<method>${methods})$`)

/** The first match wins. */
export const ROUTES: readonly RelayRoute[] = [
  model('/v1/chat/completions', chat),
  { ...model('/pg/chat/completions', chat), auth: 'session' },
  model('/v1/embeddings', embeddings),
  model(/^\/v1\/engines\/(?<model>[^/]+)\/embeddings$/, embeddings),
  model(/^(\/v1)?\/rerank$/, rerank),
  model('/v1/responses', chat, 'responses'),
  model('/v2/chat', chat, 'cohere'),
  model('/v2/embed', embeddings, 'cohere'),
  model('/v2/rerank', rerank, 'cohere'),
  model('/v1/messages', chat, 'anthropic'),
  model(geminiPath('generateContent|streamGenerateContent'), chat, 'gemini'),
  model(geminiPath('embedContent|batchEmbedContents'), embeddings, 'gemini'),
  model('/v1beta/interactions', chat, 'interactions'),
]

/** The path under which the routes know a request, and the model where the original path names it. */
export interface CanonicalPath {
  readonly path: string
  readonly model?: string | undefined
}

interface PathAlias {
  /** With the optional groups `model` and `rest`. */
  readonly pattern: RegExp
  /** `rest` is appended to it. */
  readonly target: string
}

/** Vertex AI and its express mode, which has no project. Source: cloud.google.com/vertex-ai/docs/reference/rest */
const PROJECT = '^/v1(?:alpha|beta|beta1)?/(?:projects/[^/]+/locations/[^/]+/)?'

/** What the SDKs of clouds call the APIs that they share with the original provider. The first match wins. */
const ALIASES: readonly PathAlias[] = [
  // Azure. Source: learn.microsoft.com/azure/ai-foundry/openai/reference
  { pattern: /^\/openai\/v1(?<rest>\/.+)$/, target: '/v1' },
  { pattern: /^\/openai\/deployments\/(?<model>[^/]+)(?<rest>\/.+)$/, target: '/v1' },
  {
    pattern: /^\/openai(?<rest>\/(?:models|responses|realtime|images\/variations)(?:\/.*)?)$/,
    target: '/v1',
  },
  // Gemini's own OpenAI format. Source: ai.google.dev/gemini-api/docs/openai
  { pattern: /^\/v1(?:alpha|beta)\/openai(?<rest>\/.+)$/, target: '/v1' },
  { pattern: new RegExp(`${PROJECT}endpoints/openapi(?<rest>/.+)$`), target: '/v1' },
  { pattern: new RegExp(`${PROJECT}publishers/google(?<rest>/models(?:/.+)?)$`), target: '/v1beta' },
  {
    pattern: new RegExp(`${PROJECT}publishers/anthropic/models/count-tokens:rawPredict$`),
    target: '/v1/messages/count_tokens',
  },
  {
    pattern: new RegExp(`${PROJECT}publishers/anthropic/models/(?<model>[^/]+):(?:raw|streamRaw)Predict$`),
    target: '/v1/messages',
  },
  { pattern: /^\/v1(?:alpha|beta1)(?<rest>\/(?:models|interactions)(?:\/.+)?)$/, target: '/v1beta' },
]

/** A single test, so that other paths cost nothing. */
const MAY_BE_ALIAS = /^\/(openai|v1alpha|v1beta1|v1beta\/openai|v1(beta)?\/(projects|publishers))\//

/** What Google's clients call below `/v1`, too: since 3.0 its SDK does so by default. Their keys tell them apart. */
const GOOGLE_V1 =
  /^\/v1(?=\/(auth_tokens|batches|cachedContents|files|fileSearchStores|interactions|models|operations|tunedModels|tuningJobs|webhooks)(\/|:|$))/

/** Translates the paths of other clouds. Any other path stays as it is, without a trailing slash. */
export function toCanonicalPath(pathname: string, headers: Headers): CanonicalPath {
  const own = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const path = headers.has('x-goog-api-key') ? own.replace(GOOGLE_V1, '/v1beta') : own
  if (!MAY_BE_ALIAS.test(path)) return { path }
  for (const { pattern, target } of ALIASES) {
    const groups = pattern.exec(path)
    if (groups) return { path: target + (groups.groups?.rest ?? ''), model: groups.groups?.model }
  }
  return { path }
}

/** A route with what the path of the call names. */
export type MatchedRoute = RelayRoute & { readonly params: PathParams }

/** Finds the route of a request, with or without a trailing slash, also under the paths of other clouds. */
export function findRoute(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  url: URL,
  pathsOfFeatures: readonly RelayRoute[],
): MatchedRoute | undefined {
  const { path, model } = toCanonicalPath(url.pathname, headers)
  const served = method === 'HEAD' ? 'GET' : method
  const match = (route: RelayRoute): MatchedRoute | undefined => {
    const params = route.method === served ? matchPath(path, route) : undefined
    if (!params || route.isFor?.(headers) === false) return undefined
    return { ...route, params: model === undefined ? params : { ...params, model: decode(model) } }
  }
  return firstDefined(ROUTES, match) ?? firstDefined(pathsOfFeatures, match)
}

function firstDefined<Item, Value>(
  items: readonly Item[],
  find: (item: Item) => Value | undefined,
): Value | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const NO_PARAMS: PathParams = {}

/** The groups of the pattern; undefined when the path does not match. */
function matchPath(path: string, route: RelayRoute): PathParams | undefined {
  if (typeof route.path === 'string') return path === route.path ? NO_PARAMS : undefined
  const match = route.path.exec(path)
  return match ? decodeGroups(match.groups ?? NO_PARAMS) : undefined
}

const DIALECT_PATHS: readonly (readonly [path: RegExp, dialect: DialectName])[] = [
  [/^\/v1\/projects\/.+\/publishers\/anthropic\//, 'anthropic'],
  [/^\/v1(alpha|beta|beta1)(\/|$)|^\/v1\/models\/.+:\w+$|^\/v1\/(projects|publishers)\//, 'gemini'],
  [/^\/v2(\/|$)/, 'cohere'],
  [/^\/v1\/responses(\/|$)/, 'responses'],
  [/^\/v1\/(messages|complete)(\/|$)/, 'anthropic'],
]

/** The dialect for errors on a path without a route: that of the API which has the path, else that of the client. */
export function dialectOfPath(pathname: string, headers: Headers): DialectName {
  const { path } = toCanonicalPath(pathname, headers)
  const named = DIALECT_PATHS.find(([pattern]) => pattern.test(path))
  if (named) return named[1]
  if (headers.has('anthropic-version')) return 'anthropic'
  return headers.has('x-goog-api-key') ? 'gemini' : 'openai'
}

/** Without the groups that did not take part in the match. */
const decodeGroups = (groups: Readonly<Record<string, string | undefined>>): PathParams =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([name, text]) => (text === undefined ? [] : [[name, decode(text)]])),
  )

/** A part that cannot be decoded stays as it is, since nothing has such a name. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
