import type { OptionKey } from '#contract/options/system-options.ts'
import type { OptionForm } from '../options/form.ts'

export type SignInNeed = 'needsGithub' | 'needsLinuxdo' | 'needsWechat' | 'needsTelegram' | 'needsTurnstile'

const NEEDS: Partial<Record<OptionKey, readonly [SignInNeed, readonly OptionKey[]]>> = {
  GitHubOAuthEnabled: ['needsGithub', ['GitHubClientId', 'GitHubClientSecret']],
  LinuxDOOAuthEnabled: ['needsLinuxdo', ['LinuxDOClientId', 'LinuxDOClientSecret']],
  WeChatAuthEnabled: ['needsWechat', ['WeChatServerAddress']],
  TelegramOAuthEnabled: ['needsTelegram', ['TelegramBotToken']],
  TurnstileCheckEnabled: ['needsTurnstile', ['TurnstileSiteKey', 'TurnstileSecretKey']],
}

const OTHER_WAYS: readonly OptionKey[] = [
  'GitHubOAuthEnabled',
  'LinuxDOOAuthEnabled',
  'WeChatAuthEnabled',
  'TelegramOAuthEnabled',
]

type Filled = Pick<OptionForm, 'textAt' | 'isSet' | 'editOf'>

const isFilled = ({ textAt, isSet, editOf }: Filled, key: OptionKey): boolean =>
  textAt(key) !== '' || (isSet(key) && editOf(key) === undefined)

/** What has to be filled in before this is switched on; undefined when nothing is missing. */
export function missingFor(form: Filled, key: OptionKey): SignInNeed | undefined {
  const [need, keys] = NEEDS[key] ?? []
  return keys?.every(filled => isFilled(form, filled)) === false ? need : undefined
}

/** Whether another way to sign in is on, or will be when the edits are saved. */
export const hasOtherSignIn = ({ textAt }: Pick<OptionForm, 'textAt'>): boolean =>
  OTHER_WAYS.some(key => textAt(key) === 'true')
