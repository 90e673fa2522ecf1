import { apiErrors } from '../core/api-error.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { readResponseText } from './read-response.ts'
import type { Send } from './send.ts'

const RESPONSE_TIMEOUT_MS = 5000

const providerError = apiErrors('party', {
  unreachable: {
    zh: '无法连接 {provider} 服务器，请稍后重试',
    en: '{provider} cannot be reached; try again later',
  },
})

/** Addresses of the third-party providers. Nothing else names one; tests substitute local servers. */
export interface ProviderEndpoints {
  readonly github: OAuthEndpoints
  readonly linuxdo: OAuthEndpoints
  readonly turnstile: { readonly verifyUrl: string }
  /** Certificate authority (PEM) that mail servers are verified against, instead of the system's. */
  readonly mailCertificateAuthority?: string
}

export interface OAuthEndpoints {
  /** Exchanges an authorization code for an access token. */
  readonly tokenUrl: string
  /** Returns the user of an access token. */
  readonly userUrl: string
}

/** The registration of this installation with an OAuth provider. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
}

export const PROVIDER_ENDPOINTS: ProviderEndpoints = {
  github: {
    tokenUrl: 'https://github.com/login/oauth/access_token',
    userUrl: 'https://api.github.com/user',
  },
  linuxdo: {
    tokenUrl: 'https://connect.linux.do/oauth2/token',
    userUrl: 'https://connect.linux.do/api/user',
  },
  turnstile: { verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify' },
}

export interface ProviderRequestContext {
  readonly send: Send
  readonly log: Logger
  /** Aborts when the client that waits for the result disconnects. */
  readonly signal: AbortSignal
}

export interface ProviderRequest {
  /** Display name, for error messages. */
  readonly provider: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Sends a request to a third-party provider and returns the JSON of its response, with any status. Throws the API
 * error party.unreachable when no JSON arrives in time; the reason is only logged.
 */
export async function requestProvider(
  { provider, ...request }: ProviderRequest,
  { send, log, signal }: ProviderRequestContext,
): Promise<unknown> {
  const sent = await send(request, {
    signal,
    headersTimeoutMs: RESPONSE_TIMEOUT_MS,
    proxy: undefined,
  })
  try {
    if (sent.kind === 'failure') throw new Error(sent.failure.message)
    return JSON.parse(await readResponseText(sent, RESPONSE_TIMEOUT_MS))
  } catch (error) {
    log.warn('a provider did not respond with JSON', { party: provider, reason: errorMessage(error) })
    throw providerError('unreachable', { provider })
  }
}
