import type { RelayRoute } from '../relay/routes/routes.ts'

/** A path that the pattern of a route matches. */
export const examplePath = ({ path }: Pick<RelayRoute, 'path'>): string =>
  typeof path === 'string'
    ? path
    : path.source
        .replaceAll('\\/', '/')
        .replace(/^\^|\$$/g, '')
        .replace(/\(\?:\/mj-[^)]*\)\)\?/, '')
        .replace(/\(\?:\/\(.*\)\)?\?$/, '')
        .replace(/\(\?<model>[^)]*\)/, 'lab')
        .replace(/\(\?<(?:method|kind)>([^|)]*)[^)]*\)/, '$1')
        .replaceAll('[^/]+', '1')
        .replace(/\(\?<\w+>[^)]*\)/g, '1')
        .replace(/\(\?:([^)]*)\)\?/g, '$1')
        .replace(/\(([^)|]*)[^)]*\)\??/g, '$1')
