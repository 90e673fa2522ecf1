import type { ApiContext } from '../api/context.ts'
import { apiErrors } from '../core/api-error.ts'
import { verifyTurnstile } from '../integrations/turnstile.ts'

const captchaError = apiErrors('human', {
  missing: { zh: '请先完成人机验证', en: 'complete the CAPTCHA first' },
  failed: {
    zh: '人机验证失败，请刷新页面后重试',
    en: 'the CAPTCHA failed; reload the page and try again',
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
