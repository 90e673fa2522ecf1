import { GatewayError } from '../core/errors.ts'
import { withTimeout } from '../core/async.ts'

const ANSWER_MS_MAX = 6_000
const UNANSWERED = 'the gateway’s storage does not answer at the moment; nothing was charged'

/** What is asked of the database for a request. Throws GatewayError storage_failed when it fails, or does not answer in time. */
export async function withStorageTimeout<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await withTimeout(ANSWER_MS_MAX, asked)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('storage_failed', UNANSWERED, { cause })
  }
}
