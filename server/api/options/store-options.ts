import type { z } from 'zod'
import { isOptionKey, type OptionKey, type OptionValues, systemOptions } from '#contract/options/system-options.ts'
import { type Language, ApiError, apiErrors } from '../../core/api-error.ts'
import { inTransaction } from '../../db/database.ts'
import { deleteOption, upsertOption } from '../../db/options.ts'
import { bumpVersion } from '../../db/topics.ts'
import type { ApiContext } from '../context.ts'
import { parseInput } from '../parse-input.ts'
import { checkPreconditions } from './check-preconditions.ts'

const refuse = apiErrors('option', {
  unknown: { zh: '没有名为 {key} 的设置项', en: 'there is no option named {key}' },
})

export interface WantedOption {
  readonly key: string
  readonly value: string
}

type Context = Pick<ApiContext, 'db' | 'settings' | 'secrets' | 'language' | 'log' | 'caller' | 'requestId'>

interface CheckedOption {
  readonly key: OptionKey
  /** As it will be stored, not yet sealed. */
  readonly text: string
  readonly value: unknown
}

/** Checks every wanted option, then stores them all in one transaction, or none. */
export async function storeOptions(wanted: readonly WantedOption[], context: Context): Promise<void> {
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

function check({ key, value: wanted }: WantedOption, language: Language): CheckedOption {
  if (!isOptionKey(key)) throw refuse('unknown', { key })
  try {
    const schema: z.ZodType = systemOptions[key].schema
    const value = parseInput(schema, wanted, language)
    return { key, value, text: typeof value === 'string' ? value : wanted.trim() }
  } catch (error) {
    if (error instanceof ApiError) throw error.about(key)
    throw error
  }
}
