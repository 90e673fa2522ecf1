import { z } from 'zod'
import { type ProviderRequestContext, requestProvider } from '../http-client/provider-request.ts'

const VerificationJson = z.object({ success: z.boolean() })

interface TurnstileCheck {
  readonly secret: string
  /** The token that the widget returned. */
  readonly response: string
  readonly clientIp: string
}

/**
 * Returns whether the captcha was solved. Throws party.unreachable.
 * Source: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
export async function verifyTurnstile(
  { secret, response, clientIp }: TurnstileCheck,
  url: string,
  context: ProviderRequestContext,
): Promise<boolean> {
  const body = new URLSearchParams({ secret, response, remoteip: clientIp }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const verification = VerificationJson.safeParse(
    await requestProvider({ provider: 'Turnstile', method: 'POST', url, headers, body }, context),
  )
  return verification.success && verification.data.success
}
