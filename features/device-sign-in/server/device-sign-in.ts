import { GatewayError } from '#server/core/errors.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { KIB } from '#server/core/limits.ts'
import type { RequestMetadata } from '#server/http/api-app.ts'
import type { BodyMemory } from '#server/http/body-memory.ts'
import { clientNetwork } from '#server/http/client-address.ts'
import { notFoundResponse } from '#server/http/envelope.ts'
import { readRequestText } from '#server/http/request-body.ts'
import { withSecurityHeaders } from '#server/http/response-headers.ts'
import { discoveryDocument, OAUTH_ENDPOINTS, type OauthDeps, type OauthEndpoint } from './oauth.ts'

const DISCOVERY_PATH = '/.well-known/oauth-authorization-server'
const SETTINGS_PATH = '/managed/settings'
const FORM_BYTES_MAX = 16 * KIB
const INTERNAL_ERROR = 500

interface DeviceSignInDeps extends OauthDeps {
  readonly bodyMemory: BodyMemory
}

/** Whether the relay serves the path, which it does with a token and while device sign-ins are on. */
export const isSettingsPath = (path: string, { settings }: Pick<OauthDeps, 'settings'>): boolean =>
  path === SETTINGS_PATH && settings.current().values.DeviceSignInEnabled

/** Serves what programs call to sign in by device code. Undefined for any other path, and JSON 404 while it is off. */
export const createDeviceSignIns =
  (deps: DeviceSignInDeps) =>
  async (request: Request, path: string, metadata: RequestMetadata): Promise<Response | undefined> => {
    const post = request.method === 'POST' ? ownEntry(OAUTH_ENDPOINTS, path) : undefined
    if (!post && path !== DISCOVERY_PATH) return undefined
    const { DeviceSignInEnabled: isEnabled, ServerAddress: configured } = deps.settings.current().values
    if (!isEnabled) return withSecurityHeaders(notFoundResponse(request))
    const origin = originOf(request, configured, metadata)
    if (!post) return withSecurityHeaders(discoveryDocument(origin))
    return withSecurityHeaders(await respond(post, request, { ...metadata, origin }, deps))
  }

async function respond(
  post: OauthEndpoint,
  request: Request,
  metadata: RequestMetadata & { readonly origin: string },
  deps: DeviceSignInDeps,
): Promise<Response> {
  try {
    const form = new URLSearchParams(await readForm(request, metadata, deps))
    return await post({ ...metadata, form }, deps)
  } catch (error) {
    return errorResponse(error, metadata, deps)
  }
}

/**
 * Clients accept only the origin that they called. A proxy that is not trusted hides the scheme, which the configured
 * address then tells.
 */
function originOf(request: Request, configured: string, { isSecure }: RequestMetadata): string {
  const { host } = new URL(request.url)
  if (configured !== '' && new URL(configured).host === host) return new URL(configured).origin
  return `${isSecure ? 'https' : 'http'}://${host}`
}

async function readForm(
  request: Request,
  { clientIp }: RequestMetadata,
  { bodyMemory }: DeviceSignInDeps,
): Promise<string> {
  const memory = bodyMemory.open(clientNetwork(clientIp))
  let text = ''
  try {
    await readRequestText(request, { bytesMax: FORM_BYTES_MAX, memory }, piece => {
      text += piece
    })
    return text
  } finally {
    memory.release()
  }
}

function errorResponse(error: unknown, { requestId }: RequestMetadata, { log }: DeviceSignInDeps): Response {
  if (error instanceof GatewayError)
    return Response.json(
      { error: 'invalid_request', error_description: error.message },
      { status: error.status },
    )
  log.error('a device sign-in failed', { request_id: requestId, error })
  return Response.json(
    { error: 'server_error', error_description: `request id: ${requestId}` },
    { status: INTERNAL_ERROR },
  )
}
