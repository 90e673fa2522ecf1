import type { PlainRoute, RequestMetadata } from '../api/plain-route.ts'
import type { BodyMemory } from '../relay/request/body-memory.ts'
import { clientNetwork } from './client-address.ts'
import { notFoundResponse } from './envelope.ts'
import { readRequestText } from './request-body.ts'
import { withSecurityHeaders } from './response-headers.ts'

/** Serves the paths that features have beside the management API and the relay. Undefined for any other path. */
export const createPlainRoutes =
  (routes: readonly PlainRoute[], bodyMemory: BodyMemory) =>
  async (request: Request, path: string, metadata: RequestMetadata): Promise<Response | undefined> => {
    const route = routes.find(
      ({ method, path: own }) => isServed(own, path) && (method === undefined || method === request.method),
    )
    if (!route) return undefined
    const response = await route.respond({
      ...metadata,
      request,
      readText: bytesMax => readBody(request, bytesMax, { metadata, bodyMemory }),
    })
    return withSecurityHeaders(response ?? notFoundResponse(request))
  }

/** A path that ends in `/*` has all below it. Others are served with and without a trailing slash. */
const isServed = (own: string, path: string): boolean =>
  own.endsWith('/*') ? path.startsWith(own.slice(0, -1)) : own === path || `${own}/` === path

interface ReadingDeps {
  readonly metadata: RequestMetadata
  readonly bodyMemory: BodyMemory
}

async function readBody(
  request: Request,
  bytesMax: number,
  { metadata, bodyMemory }: ReadingDeps,
): Promise<string> {
  const memory = bodyMemory.open(clientNetwork(metadata.clientIp))
  let text = ''
  try {
    await readRequestText(request, { bytesMax, memory }, piece => {
      text += piece
    })
    return text
  } finally {
    memory.release()
  }
}
