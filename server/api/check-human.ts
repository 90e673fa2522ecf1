import { apiErrors } from '../core/api-error.ts'
import { askTurnstile } from '../integrations/turnstile.ts'
import type { ApiContext } from './context.ts'

const captchaError = apiErrors('human', {
  missing: { zh: 'Turnstile token 为空', en: 'the human check is missing' },
  failed: {
    zh: 'Turnstile 校验失败，请刷新重试！',
    en: 'the human check failed, reload the page and try again',
  },
})

/** Lets a call pass that a person makes, when the options ask for that. Every call needs a check of its own. */
export async function checkCaptcha(response: string | undefined, context: ApiContext): Promise<void> {
  const { settings, parties, clientIp } = context
  const { TurnstileCheckEnabled, TurnstileSecretKey: secret } = settings.current().values
  if (!TurnstileCheckEnabled) return
  if (!response) throw captchaError('missing')
  const isPerson = await askTurnstile({ secret, response, clientIp }, parties.turnstile.verifyUrl, context)
  if (!isPerson) throw captchaError('failed')
}
