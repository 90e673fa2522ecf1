import type { DialectName } from '../../provider-kit/exchange.ts'
import { chat } from './chat.ts'
import { embeddings } from './embeddings.ts'
import type { Operation } from './operation.ts'

/** One address that clients call: what it means and how its callers speak. */
interface RelayRoute {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly work: Operation | 'list-models' | 'get-model' | 'billing-subscription' | 'billing-usage'
  readonly dialect: DialectName
  /** `session`: the console's own playground, signed in by cookie. */
  readonly auth: 'token' | 'session'
}

const routes: readonly RelayRoute[] = [
  { method: 'POST', path: /^\/v1\/chat\/completions$/, work: chat, dialect: 'openai', auth: 'token' },
  { method: 'POST', path: /^\/pg\/chat\/completions$/, work: chat, dialect: 'openai', auth: 'session' },
  { method: 'POST', path: /^\/v1\/embeddings$/, work: embeddings, dialect: 'openai', auth: 'token' },
  {
    method: 'POST',
    path: /^\/v1\/engines\/(?<model>[^/]+)\/embeddings$/,
    work: embeddings,
    dialect: 'openai',
    auth: 'token',
  },
  { method: 'GET', path: /^\/v1\/models$/, work: 'list-models', dialect: 'openai', auth: 'token' },
  {
    method: 'GET',
    path: /^\/v1\/models\/(?<model>.+)$/,
    work: 'get-model',
    dialect: 'openai',
    auth: 'token',
  },
  {
    method: 'GET',
    path: /^(\/v1)?\/dashboard\/billing\/subscription$/,
    work: 'billing-subscription',
    dialect: 'openai',
    auth: 'token',
  },
  {
    method: 'GET',
    path: /^(\/v1)?\/dashboard\/billing\/usage$/,
    work: 'billing-usage',
    dialect: 'openai',
    auth: 'token',
  },
]

export interface MatchedRoute extends RelayRoute {
  /** The model named in the path, where the dialect puts it there. */
  readonly pathModel: string | undefined
}

/** The route behind an address; a trailing slash does not matter. */
export function findRoute(method: string, pathname: string): MatchedRoute | undefined {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(path) : null
    if (match) return { ...route, pathModel: decoded(match.groups?.model) }
  }
  return undefined
}

/** What cannot be decoded is left as it is: no model has that name. */
function decoded(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part)
  } catch {
    return part
  }
}
