import { apiErrors } from '../core/api-error.ts'
import { verifyTurnstile } from '../integrations/turnstile.ts'
import type { ApiContext } from './context.ts'

const captchaError = apiErrors('human', {
  missing: { zh: 'Turnstile token 为空', en: 'the human check is missing' },
  failed: {
    zh: 'Turnstile 校验失败，请刷新重试！',
    en: 'the human check failed, reload the page and try again',
  },
})

/** Verifies the Turnstile response when the options require one. A response is valid for one call only. */
export async function checkCaptcha(response: string | undefined, context: ApiContext): Promise<void> {
  const { settings, providerEndpoints, clientIp } = context
  const { TurnstileCheckEnabled, TurnstileSecretKey: secret } = settings.current().values
  if (!TurnstileCheckEnabled) return
  if (!response) throw captchaError('missing')
  const isHuman = await verifyTurnstile(
    { secret, response, clientIp },
    providerEndpoints.turnstile.verifyUrl,
    context,
  )
  if (!isHuman) throw captchaError('failed')
}
