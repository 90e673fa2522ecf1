import type { Option } from '#contract/options/define-option.ts'
import type { OptionKey, OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import { parseInput } from '#server/api/parse-input.ts'
import { ApiError } from '#server/core/api-error.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { upsertOption } from '#server/db/system/options.ts'
import { optionError } from './errors.ts'
import { deleteOption } from './queries.ts'

export interface OptionText {
  readonly key: string
  readonly value: string
}

type OptionUpdateDeps = Pick<
  ApiContext,
  'db' | 'settings' | 'secrets' | 'language' | 'log' | 'caller' | 'requestId'
>

interface CheckedOption {
  readonly key: string
  readonly option: Option<unknown>
  /** The text to store, not yet encrypted. */
  readonly text: string
  readonly value: unknown
}

/**
 * A stored secret is sent to the address that it was entered for and to no other: whoever changes the address would receive
 * it.
 */
const BOUND_SECRETS = [
  { secret: 'SMTPToken', address: 'SMTPServer' },
  { secret: 'WorkerValidKey', address: 'WorkerUrl' },
  { secret: 'WeChatServerToken', address: 'WeChatServerAddress' },
  { secret: 'EpayKey', address: 'PayAddress' },
] as const satisfies readonly Record<string, OptionKey>[]

/** Validates all options, then stores all of them in one transaction, or none. */
export async function storeOptions(options: readonly OptionText[], context: OptionUpdateDeps): Promise<void> {
  const { db, settings, secrets, log, caller, requestId } = context
  await settings.refresh()
  const checked = options.map(option => check(option, context))
  const changed = Object.fromEntries(checked.map(({ key, value }) => [key, value])) as Partial<OptionValues>
  const former = settings.current().values
  const withoutAddress = secretsWithoutAddress(changed, former)
  checkPreconditions(new Set(checked.map(({ key }) => key)), { ...former, ...changed })
  await inTransaction(db, async tx => {
    await Promise.all(withoutAddress.map(key => deleteOption(tx, key)))
    for (const { key, text, option } of checked) {
      const { isSecret } = option
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

/**
 * The stored secrets whose address is removed, and which are removed with it. Throws `option.secret_needed` for one whose
 * address changes while it is not entered again.
 */
function secretsWithoutAddress(changed: Partial<OptionValues>, former: OptionValues): readonly OptionKey[] {
  const orphaned = BOUND_SECRETS.filter(
    ({ secret, address }) =>
      former[secret] !== '' &&
      former[address] !== '' &&
      changed[secret] === undefined &&
      hostOf(changed[address] ?? former[address]) !== hostOf(former[address]),
  )
  for (const { secret, address } of orphaned)
    if (changed[address] !== '')
      throw optionError('secret_needed', { secret, former: hostOf(former[address]) }).about(address)
  return orphaned.map(({ secret }) => secret)
}

/** Scheme, host and port of an address; the mail server is a host already. */
const hostOf = (address: string): string =>
  /^https?:/.test(address) ? new URL(address).origin : address.toLowerCase()

function check({ key, value: input }: OptionText, { settings, language }: OptionUpdateDeps): CheckedOption {
  const option = ownEntry(settings.options, key)
  if (!option) throw optionError('unknown', { key })
  try {
    const value = parseInput(option.schema, input, language)
    return { key, option, value, text: typeof value === 'string' ? value : input.trim() }
  } catch (error) {
    if (error instanceof ApiError) throw error.about(key)
    throw error
  }
}

type Precondition = {
  readonly turnedOn: OptionKey
  readonly needs: readonly OptionKey[]
  readonly error: Parameters<typeof optionError>[0]
}

const PRECONDITIONS: readonly Precondition[] = [
  { turnedOn: 'GitHubOAuthEnabled', needs: ['GitHubClientId', 'GitHubClientSecret'], error: 'github' },
  { turnedOn: 'LinuxDOOAuthEnabled', needs: ['LinuxDOClientId', 'LinuxDOClientSecret'], error: 'linuxdo' },
  { turnedOn: 'EmailVerificationEnabled', needs: ['SMTPServer'], error: 'mail_server' },
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

/** Throws when a feature would be enabled without the options that it requires. `values` includes the changes. */
function checkPreconditions(changed: ReadonlySet<string>, values: OptionValues): void {
  for (const { turnedOn, needs, error } of PRECONDITIONS) {
    const isTouched = [turnedOn, ...needs].some(key => changed.has(key))
    if (isTouched && isFilled(values[turnedOn]) && !needs.every(key => isFilled(values[key])))
      throw optionError(error)
  }
}

const isFilled = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))
