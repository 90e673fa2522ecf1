import type { AnyEndpoint } from '#contract/endpoint.ts'

export type ScopedCall = Pick<AnyEndpoint, 'path' | 'method' | 'audit' | 'produces'>

/** The first segment of the path, such as `token` of `/api/token/:id`, or `metrics`. */
export const resourceOf = ({ path }: Pick<ScopedCall, 'path'>): string =>
  path.replace(/^\/api\//, '/').split('/')[1] ?? ''

/** Some calls act with GET, for compatibility: the audit log records them, as it does exports, which are files. */
const isReading = ({ method, audit = 'none', produces }: ScopedCall): boolean =>
  method === 'GET' && (audit === 'none' || produces !== undefined)

/** Whether scopes such as `token:read,log:write` allow a call. `write` includes `read`, and `*` is every resource. */
export const isInScope = (scopes: string, call: ScopedCall): boolean =>
  scopes.split(',').some(scope => {
    const [resource, verb] = scope.split(':')
    return (resource === '*' || resource === resourceOf(call)) && (verb === 'write' || isReading(call))
  })
