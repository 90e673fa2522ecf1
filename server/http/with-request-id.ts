/** Names the request in its answer, as the log does. */
export function withRequestId(response: Response, requestId: string): Response {
  response.headers.set('X-Oneapi-Request-Id', requestId)
  return response
}
