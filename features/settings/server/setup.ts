import type { DataOf } from '#contract/endpoint.ts'
import type { getSetup } from '#contract/options/options.ts'
import type { ApiContext } from '#server/api/context.ts'
import type { RateLimiter } from '#server/core/rate-limit.ts'
import { countTokens } from '#server/db/accounts/tokens.ts'
import { listEnabledModels } from '#server/db/channels/abilities.ts'
import { priceBookOf } from '#server/pricing/price-book.ts'
import { readChannelProgress } from './queries.ts'

type SetupDeps = Pick<ApiContext, 'reader' | 'settings' | 'caller'>
type SharedLimits = Pick<RateLimiter, 'isStoreLost'>

/** The parts of an installation's set-up that are done. */
export async function readSetup(
  { reader, settings, caller }: SetupDeps,
  limits: SharedLimits,
): Promise<DataOf<typeof getSetup>> {
  const { values } = settings.current()
  const prices = priceBookOf(values)
  const { count, testedCount } = await readChannelProgress(reader)
  const models = await listEnabledModels(reader)
  return {
    has_channel: count > 0,
    has_tested_channel: testedCount > 0,
    model_count: models.length,
    unpriced_models: models.filter(model => prices.find(model) === undefined),
    has_token: (await countTokens(reader, caller)) > 0,
    has_server_address: values.ServerAddress !== '',
    has_retries: values.RetryTimes > 0,
    has_email: values.SMTPServer !== '',
    has_shared_limits: !limits.isStoreLost?.(),
  }
}
