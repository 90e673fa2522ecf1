import type { PlainRequest, PlainRoute } from '#server/api/plain-route.ts'
import { GatewayError } from '#server/core/errors.ts'
import { KIB } from '#server/core/limits.ts'
import { discoveryDocument, OAUTH_ENDPOINTS, type OauthDeps, type OauthEndpoint } from './oauth.ts'

const DISCOVERY_PATH = '/.well-known/oauth-authorization-server'
const SETTINGS_PATH = '/managed/settings'
const FORM_BYTES_MAX = 16 * KIB
const INTERNAL_ERROR = 500

/** Whether the relay serves the path, which it does with a token and while device sign-ins are on. */
export const isSettingsPath = (path: string, { settings }: Pick<OauthDeps, 'settings'>): boolean =>
  path === SETTINGS_PATH && settings.current().values.DeviceSignInEnabled

/** What programs call to sign in by device code. Nothing is served while it is off. */
export function createDeviceSignIns(deps: OauthDeps): readonly PlainRoute[] {
  const whileEnabled =
    (respond: (call: PlainRequest, origin: string) => Promise<Response>): PlainRoute['respond'] =>
    async call => {
      const { DeviceSignInEnabled, ServerAddress } = deps.settings.current().values
      return DeviceSignInEnabled ? respond(call, originOf(call, ServerAddress)) : undefined
    }
  return [
    { path: DISCOVERY_PATH, respond: whileEnabled(async (_, origin) => discoveryDocument(origin)) },
    ...Object.entries(OAUTH_ENDPOINTS).map(
      ([path, post]): PlainRoute => ({
        method: 'POST',
        path,
        respond: whileEnabled((call, origin) => runEndpoint(post, { ...call, origin }, deps)),
      }),
    ),
  ]
}

async function runEndpoint(
  post: OauthEndpoint,
  call: PlainRequest & { readonly origin: string },
  deps: OauthDeps,
): Promise<Response> {
  try {
    const form = new URLSearchParams(await call.readText(FORM_BYTES_MAX))
    return await post({ ...call, form }, deps)
  } catch (error) {
    return errorResponse(error, call, deps)
  }
}

/**
 * Clients accept only the origin that they called. A proxy that is not trusted hides the scheme, which the configured
 * address then tells.
 */
function originOf({ request, isSecure, basePath }: PlainRequest, configured: string): string {
  const { host } = new URL(request.url)
  if (configured !== '' && new URL(configured).host === host) return new URL(configured).origin + basePath
  return `${isSecure ? 'https' : 'http'}://${host}${basePath}`
}

function errorResponse(
  error: unknown,
  { requestId }: PlainRequest,
  { log }: Pick<OauthDeps, 'log'>,
): Response {
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
