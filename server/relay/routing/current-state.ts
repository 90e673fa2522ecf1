import { withStorageTimeout } from '../../core/async.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'

/** What another process may have made available a moment ago. */
const OUTDATED_CODES: ReadonlySet<ErrorCode> = new Set([
  'no_available_channel',
  'model_not_found',
  'invalid_channel_id',
  'channel_disabled',
  'model_price_missing',
])

/**
 * Returns the result of `decide`, which uses channels and settings in memory. When these lack something, it asks the database
 * for changes and decides once more: this process follows the changes of others only every second.
 */
export async function withCurrentState<Result>(
  decide: () => Result,
  refreshState: () => Promise<void>,
): Promise<Result> {
  try {
    return decide()
  } catch (error) {
    if (!(error instanceof GatewayError) || !OUTDATED_CODES.has(error.code)) throw error
  }
  await withStorageTimeout(refreshState())
  return decide()
}
