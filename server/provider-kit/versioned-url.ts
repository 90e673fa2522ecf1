const VERSION_PREFIX = /^(?:\/[a-z]+)*(\/v\d+)(?=\/)/

/** Base and path, without the path's beginning up to its version (`/v1`, `/api/v3`) where the operator's base address already ends in that version. */
export function versionedUrl(baseUrl: string, path: string): string {
  const [prefix = '', version] = VERSION_PREFIX.exec(path) ?? []
  return baseUrl + (version && baseUrl.endsWith(version) ? path.slice(prefix.length) : path)
}
