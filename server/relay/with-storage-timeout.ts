import { withTimeout } from '../core/async.ts'
import { GatewayError } from '../core/errors.ts'

const STORAGE_TIMEOUT_MS = 6_000
const STORAGE_TIMEOUT_MESSAGE = 'the gateway’s storage does not answer at the moment; nothing was charged'

/** Limits how long a request waits for the database. Throws GatewayError `storage_failed` on a timeout or an error. */
export async function withStorageTimeout<Value>(query: Promise<Value>): Promise<Value> {
  try {
    return await withTimeout(STORAGE_TIMEOUT_MS, query)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('storage_failed', STORAGE_TIMEOUT_MESSAGE, { cause })
  }
}
