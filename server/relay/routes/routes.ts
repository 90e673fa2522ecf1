import type { ClientDialect, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { DialectName } from '../../provider-kit/contract/operation-adapter.ts'
import type { AuthMethod } from '../admission/authenticate.ts'
import { chat, completions, fim } from '../operations/chat.ts'
import { compaction } from '../operations/compaction.ts'
import { tokenCount } from '../operations/count-tokens.ts'
import { imageEdits, images, imageVariations } from '../operations/images.ts'
import { getModel, listModels, type ModelsDeps } from '../operations/list-models.ts'
import { listVoices, type VoicesDeps } from '../operations/list-voices.ts'
import {
  embeddings,
  moderation,
  realtime,
  rerank,
  speech,
  transcription,
  translation,
} from '../operations/simple-operations.ts'
import type { Operation, RelayCall } from '../types.ts'

/** Responds to a query that calls no model. */
export type Lookup = (query: LookupQuery, deps: LookupDeps) => Promise<Response>

type LookupDeps = ModelsDeps & VoicesDeps

/** What a lookup may read of its request. */
export interface LookupQuery extends RelayCall {
  readonly client: ClientDialect
  /** The model that the path names. */
  readonly model?: string | undefined
  /** The ids in the path. Empty where the path has none. */
  readonly id: string
  readonly itemId: string
}

/** A path of the relay, and what serves it. */
export interface RelayRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** An exact path, or a pattern with the optional groups `model`, `method`, `id` and `itemId`. */
  readonly path: string | RegExp
  readonly target: Operation | Lookup
  readonly dialect: DialectName
  readonly auth: AuthMethod
  /** Distinguishes two dialects with the same path. */
  readonly isFor?: (headers: Headers) => boolean
  /** A lookup that costs about as much as a request: a caller with an empty wallet is rejected. */
  readonly needsBalance?: boolean
}

/** A matched route that calls a model. */
export interface OperationRoute {
  readonly type: 'operation'
  readonly operation: Operation
  readonly dialect: DialectName
  readonly auth: AuthMethod
  readonly urlParams: UrlParams
}

/** A matched route that calls no model. */
export interface LookupRoute {
  readonly type: 'lookup'
  readonly lookup: Lookup
  readonly needsBalance: boolean
  readonly dialect: DialectName
  readonly auth: AuthMethod
  readonly urlParams: UrlParams
  /** The ids in the path. Empty where the path has none. */
  readonly id: string
  readonly itemId: string
}

type Path = RelayRoute['path']
type Target = RelayRoute['target']

export const post = (path: Path, target: Target, dialect: DialectName = 'openai'): RelayRoute => ({
  method: 'POST',
  path,
  target,
  dialect,
  auth: 'token',
})
export const get = (path: Path, target: Target, dialect: DialectName = 'openai'): RelayRoute => ({
  ...post(path, target, dialect),
  method: 'GET',
})
export const deleteAt = (path: Path, target: Lookup, dialect: DialectName): RelayRoute => ({
  ...post(path, target, dialect),
  method: 'DELETE',
})
/** OpenAI and Anthropic share the path of the model list; only Anthropic's clients send a version. */
const getAsAnthropic = (path: Path, target: Target): RelayRoute => ({
  ...get(path, target, 'anthropic'),
  isFor: headers => headers.has('anthropic-version'),
})

/** Google's clients put model and method into the path. */
const geminiPath = (methods: string): RegExp =>
  new RegExp(`^/v1(?:beta)?/models/(?<model>.+):(?<method>${methods})$`)

/** The first match wins. */
const ROUTES: readonly RelayRoute[] = [
  post('/v1/chat/completions', chat),
  { ...post('/pg/chat/completions', chat), auth: 'session' },
  post('/v1/completions', completions),
  post(/^\/v1\/engines\/(?<model>[^/]+)\/completions$/, completions),
  post('/v1/fim/completions', fim),
  post('/v1/embeddings', embeddings),
  post(/^\/v1\/engines\/(?<model>[^/]+)\/embeddings$/, embeddings),
  post('/v1/images/generations', images),
  post('/v1/images/edits', imageEdits),
  post('/v1/images/variations', imageVariations),
  post('/v1/audio/speech', speech),
  get('/v1/audio/voices', listVoices),
  post('/v1/audio/transcriptions', transcription),
  post('/v1/audio/translations', translation),
  post(/^(\/v1)?\/rerank$/, rerank),
  post('/v1/moderations', moderation),
  post('/v1/responses', chat, 'responses'),
  post('/v1/responses/compact', compaction, 'responses'),
  post('/v1/responses/input_tokens', tokenCount, 'responses'),
  post('/v2/chat', chat, 'cohere'),
  post('/v2/embed', embeddings, 'cohere'),
  post('/v2/rerank', rerank, 'cohere'),
  post('/v1/messages', chat, 'anthropic'),
  post('/v1/messages/count_tokens', tokenCount, 'anthropic'),
  post(geminiPath('generateContent|streamGenerateContent'), chat, 'gemini'),
  post(geminiPath('countTokens'), tokenCount, 'gemini'),
  post(geminiPath('embedContent|batchEmbedContents'), embeddings, 'gemini'),
  get('/v1beta/models', listModels, 'gemini'),
  get(/^\/v1beta\/models\/(?<model>.+)$/, getModel, 'gemini'),
  get('/v1/realtime', realtime),
  getAsAnthropic('/v1/models', listModels),
  getAsAnthropic(/^\/v1\/models\/(?<model>.+)$/, getModel),
  get('/v1/models', listModels),
  get(/^\/v1\/models\/(?<model>.+)$/, getModel),
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
  { pattern: /^\/v1(?:alpha|beta1)(?<rest>\/models(?:\/.+)?)$/, target: '/v1beta' },
]

/** A single test, so that other paths cost nothing. */
const MAY_BE_ALIAS = /^\/(openai|v1alpha|v1beta1|v1beta\/openai|v1(beta)?\/(projects|publishers))\//

/** Translates the paths of other clouds. Any other path stays as it is, without a trailing slash. */
export function toCanonicalPath(pathname: string): CanonicalPath {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  if (!MAY_BE_ALIAS.test(path)) return { path }
  for (const { pattern, target } of ALIASES) {
    const groups = pattern.exec(path)
    if (groups) return { path: target + (groups.groups?.rest ?? ''), model: groups.groups?.model }
  }
  return { path }
}

/** Finds the route of a request, with or without a trailing slash, also under the paths of other clouds. */
export function findRoute(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  url: URL,
  pathsOfFeatures: readonly RelayRoute[],
): OperationRoute | LookupRoute | undefined {
  const { path, model } = toCanonicalPath(url.pathname)
  const match = (definition: RelayRoute) => {
    const groups = definition.method === method ? matchPath(path, definition) : undefined
    if (!groups || definition.isFor?.(headers) === false) return undefined
    return toRoute(definition, model === undefined ? groups : { ...groups, model }, url)
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

function toRoute(
  { target, dialect, auth, needsBalance = false }: RelayRoute,
  groups: Readonly<Record<string, string>>,
  url: URL,
): OperationRoute | LookupRoute {
  const urlParams = {
    model: decode(groups.model) ?? modelInQuery(target, url),
    method: groups.method,
    alt: url.searchParams.get('alt') ?? undefined,
  }
  return typeof target === 'function'
    ? {
        type: 'lookup',
        lookup: target,
        needsBalance,
        dialect,
        auth,
        urlParams,
        id: decode(groups.id) ?? '',
        itemId: decode(groups.itemId) ?? '',
      }
    : { type: 'operation', operation: target, dialect, auth, urlParams }
}

const NO_GROUPS = {}

/** The groups of the pattern; undefined when the path does not match. */
function matchPath(path: string, route: RelayRoute): Readonly<Record<string, string>> | undefined {
  if (typeof route.path === 'string') return path === route.path ? NO_GROUPS : undefined
  const match = route.path.exec(path)
  return match ? (match.groups ?? NO_GROUPS) : undefined
}

/** A conversation has no body that could name its model. */
const modelInQuery = (target: Target, { searchParams }: URL): string | undefined =>
  target === realtime ? (searchParams.get('model') ?? searchParams.get('deployment') ?? undefined) : undefined

const DIALECT_PATHS: readonly (readonly [path: RegExp, dialect: DialectName])[] = [
  [/^\/v1\/projects\/.+\/publishers\/anthropic\//, 'anthropic'],
  [/^\/v1(alpha|beta|beta1)(\/|$)|^\/v1\/models\/.+:\w+$|^\/v1\/(projects|publishers)\//, 'gemini'],
  [/^\/v2(\/|$)/, 'cohere'],
  [/^\/v1\/responses(\/|$)/, 'responses'],
  [/^\/v1\/(messages|complete)(\/|$)/, 'anthropic'],
]

/** The dialect for errors on a path without a route: that of the API which has the path, else that of the client. */
export function dialectOfPath(pathname: string, headers: Headers): DialectName {
  const { path } = toCanonicalPath(pathname)
  const named = DIALECT_PATHS.find(([pattern]) => pattern.test(path))
  if (named) return named[1]
  if (headers.has('anthropic-version')) return 'anthropic'
  return headers.has('x-goog-api-key') ? 'gemini' : 'openai'
}

/** A name that cannot be decoded stays as it is, since no model has it. */
function decode(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part)
  } catch {
    return part
  }
}
