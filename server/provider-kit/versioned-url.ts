/** Base and path, without the path's `/v1` where the operator's base address already ends in it. */
export const versionedUrl = (baseUrl: string, path: string): string =>
  baseUrl + (baseUrl.endsWith('/v1') ? path.replace(/^\/v1(?=\/)/, '') : path)
