import type { z } from 'zod'
import {
  isOptionKey,
  type OptionKey,
  type OptionValues,
  systemOptions,
} from '#contract/options/system-options.ts'
import { ApiError, apiErrors, type Language } from '../../core/api-error.ts'
import { bumpVersion } from '../../db/engine/cached-value.ts'
import { inTransaction } from '../../db/engine/database.ts'
import { deleteOption, upsertOption } from '../../db/system/options.ts'
import type { ApiContext } from '../context.ts'
import { parseInput } from '../parse-input.ts'

const unknownOptionError = apiErrors('option', {
  unknown: { zh: '没有名为 {key} 的设置项', en: 'there is no option named {key}' },
})

export interface OptionText {
  readonly key: string
  readonly value: string
}

type OptionUpdateDeps = Pick<
  ApiContext,
  'db' | 'settings' | 'secrets' | 'language' | 'log' | 'caller' | 'requestId'
>

interface CheckedOption {
  readonly key: OptionKey
  /** As it will be stored, not yet sealed. */
  readonly text: string
  readonly value: unknown
}

/** Checks every wanted option, then stores them all in one transaction, or none. */
export async function storeOptions(wanted: readonly OptionText[], context: OptionUpdateDeps): Promise<void> {
  const { db, settings, secrets, log, caller, requestId } = context
  await settings.refresh()
  const checked = wanted.map(option => check(option, context.language))
  const changed = Object.fromEntries(checked.map(({ key, value }) => [key, value])) as Partial<OptionValues>
  checkPreconditions(new Set(checked.map(({ key }) => key)), { ...settings.current().values, ...changed })
  await inTransaction(db, async tx => {
    for (const { key, text } of checked) {
      const { isSecret } = systemOptions[key]
      if (isSecret && text === '') await deleteOption(tx, key)
      else await upsertOption(tx, { key, value: isSecret ? secrets.encrypt(text) : text })
    }
    await bumpVersion(tx, 'options')
  })
  log.info('options were changed', {
    request_id: requestId,
    user_id: caller.id,
    keys: checked.map(({ key }) => key),
  })
}

function check({ key, value: wanted }: OptionText, language: Language): CheckedOption {
  if (!isOptionKey(key)) throw unknownOptionError('unknown', { key })
  try {
    const schema: z.ZodType = systemOptions[key].schema
    const value = parseInput(schema, wanted, language)
    return { key, value, text: typeof value === 'string' ? value : wanted.trim() }
  } catch (error) {
    if (error instanceof ApiError) throw error.about(key)
    throw error
  }
}

const optionError = apiErrors('option', {
  github: {
    zh: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    en: 'GitHub sign-in needs its client id and client secret first',
  },
  linuxdo: {
    zh: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    en: 'Linux DO sign-in needs its client id and client secret first',
  },
  mail_domains: {
    zh: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    en: 'the domain restriction needs domains first',
  },
  wechat: {
    zh: '无法启用微信登录，请先填入微信登录相关配置信息！',
    en: 'WeChat sign-in needs its server address first',
  },
  turnstile: {
    zh: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    en: 'the human check needs its site key and secret key first',
  },
  telegram: {
    zh: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    en: 'Telegram sign-in needs its bot token first',
  },
  server_address: { zh: '请先填写服务器地址', en: 'fill in the server address first' },
})

type Precondition = {
  readonly turnedOn: OptionKey
  readonly needs: readonly OptionKey[]
  readonly error: Parameters<typeof optionError>[0]
}

const PRECONDITIONS: readonly Precondition[] = [
  { turnedOn: 'GitHubOAuthEnabled', needs: ['GitHubClientId', 'GitHubClientSecret'], error: 'github' },
  { turnedOn: 'LinuxDOOAuthEnabled', needs: ['LinuxDOClientId', 'LinuxDOClientSecret'], error: 'linuxdo' },
  { turnedOn: 'EmailDomainRestrictionEnabled', needs: ['EmailDomainWhitelist'], error: 'mail_domains' },
  { turnedOn: 'WeChatAuthEnabled', needs: ['WeChatServerAddress'], error: 'wechat' },
  {
    turnedOn: 'TurnstileCheckEnabled',
    needs: ['TurnstileSiteKey', 'TurnstileSecretKey'],
    error: 'turnstile',
  },
  { turnedOn: 'TelegramOAuthEnabled', needs: ['TelegramBotToken'], error: 'telegram' },
  { turnedOn: 'PayAddress', needs: ['ServerAddress'], error: 'server_address' },
]

/** Refuses changes that turn something on, or keep it on, without what it needs. `values` are as they would be afterwards. */
function checkPreconditions(changed: ReadonlySet<OptionKey>, values: OptionValues): void {
  for (const { turnedOn, needs, error } of PRECONDITIONS) {
    const isTouched = [turnedOn, ...needs].some(key => changed.has(key))
    if (isTouched && isFilled(values[turnedOn]) && !needs.every(key => isFilled(values[key])))
      throw optionError(error)
  }
}

const isFilled = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))
