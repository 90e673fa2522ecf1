import type { AddressParts } from '../../provider-kit/client-dialect.ts'
import type { DialectName } from '../../provider-kit/exchange.ts'
import type { RequestAddress } from '../request/request-url.ts'
import { chat } from './chat.ts'
import { completions } from './completions.ts'
import { embeddings } from './embeddings.ts'
import { imageEdits, images } from './images.ts'
import { moderation } from './moderation.ts'
import type { Operation } from './operation.ts'
import { realtime } from './realtime.ts'
import { rerank } from './rerank.ts'
import { speech } from './speech.ts'
import { tokenCount } from './token-count.ts'
import { transcription, translation } from './transcription.ts'

type Work = Operation | 'list-models' | 'get-model' | 'billing-subscription' | 'billing-usage'

/** One address that clients call: what it means and how its callers speak. */
interface RelayRoute {
  readonly method: 'GET' | 'POST'
  /** The whole of it, or a pattern that may name groups `model` and `method`. */
  readonly path: string | RegExp
  readonly work: Work
  readonly dialect: DialectName
  /** `session`: the console's own playground, signed in by cookie. */
  readonly auth: 'token' | 'session'
  /** Tells apart two dialects with one address. Absent: the address is enough. */
  readonly isFor?: (headers: Headers) => boolean
}

const post = (path: RelayRoute['path'], work: Work, dialect: DialectName = 'openai'): RelayRoute => ({
  method: 'POST',
  path,
  work,
  dialect,
  auth: 'token',
})
const get = (path: RelayRoute['path'], work: Work, dialect: DialectName = 'openai'): RelayRoute => ({
  ...post(path, work, dialect),
  method: 'GET',
})
/** The two dialects share the address of the model list; only Anthropic's clients name a version. */
const getAsAnthropic = (path: RelayRoute['path'], work: Work): RelayRoute => ({
  ...get(path, work, 'anthropic'),
  isFor: headers => headers.has('anthropic-version'),
})

/** Google's clients name model and method in the address. */
const geminiPath = (methods: string): RegExp =>
  new RegExp(`^/v1(?:beta)?/models/(?<model>.+):(?<method>${methods})$`)

/** The first match counts. */
const routes: readonly RelayRoute[] = [
  post('/v1/chat/completions', chat),
  { ...post('/pg/chat/completions', chat), auth: 'session' },
  post('/v1/completions', completions),
  post(/^\/v1\/engines\/(?<model>[^/]+)\/completions$/, completions),
  post('/v1/embeddings', embeddings),
  post(/^\/v1\/engines\/(?<model>[^/]+)\/embeddings$/, embeddings),
  post('/v1/images/generations', images),
  post('/v1/images/edits', imageEdits),
  post('/v1/audio/speech', speech),
  post('/v1/audio/transcriptions', transcription),
  post('/v1/audio/translations', translation),
  post(/^(\/v1)?\/rerank$/, rerank),
  post('/v1/moderations', moderation),
  post('/v1/responses', chat, 'responses'),
  post('/v1/messages', chat, 'anthropic'),
  post('/v1/messages/count_tokens', tokenCount, 'anthropic'),
  post(geminiPath('generateContent|streamGenerateContent'), chat, 'gemini'),
  post(geminiPath('countTokens'), tokenCount, 'gemini'),
  post(geminiPath('embedContent|batchEmbedContents'), embeddings, 'gemini'),
  get('/v1beta/models', 'list-models', 'gemini'),
  get(/^\/v1beta\/models\/(?<model>.+)$/, 'get-model', 'gemini'),
  get('/v1/realtime', realtime),
  getAsAnthropic('/v1/models', 'list-models'),
  getAsAnthropic(/^\/v1\/models\/(?<model>.+)$/, 'get-model'),
  get('/v1/models', 'list-models'),
  get(/^\/v1\/models\/(?<model>.+)$/, 'get-model'),
  get(/^(\/v1)?\/dashboard\/billing\/subscription$/, 'billing-subscription'),
  get(/^(\/v1)?\/dashboard\/billing\/usage$/, 'billing-usage'),
]

export interface MatchedRoute {
  readonly route: RelayRoute
  readonly address: AddressParts
}

/** The route behind an address; a trailing slash does not matter. */
export function findRoute(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  url: RequestAddress,
): MatchedRoute | undefined {
  const { pathname } = url
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  for (const route of routes) {
    const named = route.method === method ? namedIn(path, route) : undefined
    if (!named || route.isFor?.(headers) === false) continue
    const { model, method: wanted } = named
    const asked = decoded(model) ?? modelInQuery(route, url)
    return { route, address: { model: asked, method: wanted, alt: inQuery(url, 'alt') } }
  }
  return undefined
}

const NOTHING_NAMED = {}

/** What the pattern's groups found; undefined where the path is not the route's. */
function namedIn(path: string, route: RelayRoute): Readonly<Record<string, string>> | undefined {
  if (typeof route.path === 'string') return path === route.path ? NOTHING_NAMED : undefined
  const match = route.path.exec(path)
  return match ? (match.groups ?? NOTHING_NAMED) : undefined
}

/** A conversation has no body to name its model in. */
const modelInQuery = ({ work }: RelayRoute, url: RequestAddress): string | undefined =>
  work === realtime ? inQuery(url, 'model') : undefined

/** Most addresses have no query, and one that is not there need not be taken apart. */
const inQuery = (url: RequestAddress, name: string): string | undefined =>
  url.search === '' ? undefined : (url.searchParams.get(name) ?? undefined)

/** How a caller speaks whose address is not known here. */
export function dialectOfPath(path: string): DialectName {
  if (path.startsWith('/v1beta/')) return 'gemini'
  if (path.startsWith('/v1/responses')) return 'responses'
  return path.startsWith('/v1/messages') ? 'anthropic' : 'openai'
}

/** What cannot be decoded is left as it is: no model has that name. */
function decoded(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part)
  } catch {
    return part
  }
}
