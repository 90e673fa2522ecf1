import type { Route } from '../api/handle.ts'

/** The routes of all loaded resource folders. Throws for a folder that exports none. */
export const routesOf = (modules: ReadonlyMap<string, Readonly<Record<string, unknown>>>): readonly Route[] =>
  [...modules].flatMap(([folder, { routes }]) => {
    if (!isRoutes(routes))
      throw new Error(`api/${folder}/index.ts must export \`routes\`, a list made by handle`)
    return routes
  })

const isRoutes = (value: unknown): value is readonly Route[] =>
  Array.isArray(value) && value.every(route => typeof route?.run === 'function' && 'endpoint' in route)
