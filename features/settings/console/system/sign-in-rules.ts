import type { OptionForm } from '#console/app/settings/form.ts'
import type { OptionKey } from '#contract/options/system-options.ts'

export type MissingSettings =
  | 'needsGithub'
  | 'needsLinuxdo'
  | 'needsWechat'
  | 'needsTelegram'
  | 'needsTurnstile'

const NEEDS: Readonly<Record<string, readonly [MissingSettings, readonly OptionKey[]]>> = {
  GitHubOAuthEnabled: ['needsGithub', ['GitHubClientId', 'GitHubClientSecret']],
  LinuxDOOAuthEnabled: ['needsLinuxdo', ['LinuxDOClientId', 'LinuxDOClientSecret']],
  WeChatAuthEnabled: ['needsWechat', ['WeChatServerAddress']],
  TelegramOAuthEnabled: ['needsTelegram', ['TelegramBotToken']],
  TurnstileCheckEnabled: ['needsTurnstile', ['TurnstileSiteKey', 'TurnstileSecretKey']],
}

const OTHER_METHODS: readonly OptionKey[] = [
  'GitHubOAuthEnabled',
  'LinuxDOOAuthEnabled',
  'WeChatAuthEnabled',
  'TelegramOAuthEnabled',
]

type OptionValues = Pick<OptionForm, 'currentValue' | 'isSet' | 'editedValue'>

const isFilled = ({ currentValue, isSet, editedValue }: OptionValues, key: OptionKey): boolean =>
  currentValue(key) !== '' || (isSet(key) && editedValue(key) === undefined)

/** The missing settings that a flag needs before it can be turned on. Undefined when nothing is missing. */
export function missingSettings(form: OptionValues, key: string): MissingSettings | undefined {
  const [need, keys] = NEEDS[key] ?? []
  return keys?.every(filled => isFilled(form, filled)) === false ? need : undefined
}

/** Whether a sign-in method other than passwords is on, including unsaved edits. */
export const hasOtherSignIn = ({ currentValue }: Pick<OptionForm, 'currentValue'>): boolean =>
  OTHER_METHODS.some(key => currentValue(key) === 'true')
