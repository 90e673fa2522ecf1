import type { DialectName } from '../provider-kit/exchange.ts'

export type Operation = 'chat' | 'embeddings' | 'list-models' | 'get-model'

/** One address that clients call: what it means and how its callers speak. */
export interface OperationRoute {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly operation: Operation
  readonly dialect: DialectName
  /** `session`: the console's own playground, signed in by cookie. */
  readonly auth: 'token' | 'session'
}

const routes: readonly OperationRoute[] = [
  { method: 'POST', path: /^\/v1\/chat\/completions$/, operation: 'chat', dialect: 'openai', auth: 'token' },
  { method: 'POST', path: /^\/pg\/chat\/completions$/, operation: 'chat', dialect: 'openai', auth: 'session' },
  { method: 'POST', path: /^\/v1\/embeddings$/, operation: 'embeddings', dialect: 'openai', auth: 'token' },
  {
    method: 'POST',
    path: /^\/v1\/engines\/(?<model>[^/]+)\/embeddings$/,
    operation: 'embeddings',
    dialect: 'openai',
    auth: 'token',
  },
  { method: 'GET', path: /^\/v1\/models$/, operation: 'list-models', dialect: 'openai', auth: 'token' },
  { method: 'GET', path: /^\/v1\/models\/(?<model>.+)$/, operation: 'get-model', dialect: 'openai', auth: 'token' },
]

export interface MatchedOperation extends OperationRoute {
  /** The model named in the path, where the dialect puts it there. */
  readonly pathModel: string | undefined
}

/** The operation behind an address; a trailing slash does not matter. */
export function findOperation(method: string, pathname: string): MatchedOperation | undefined {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(path) : null
    if (match) return { ...route, pathModel: match.groups?.['model'] && decodeURIComponent(match.groups['model']) }
  }
  return undefined
}
