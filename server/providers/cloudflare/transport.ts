import { GatewayError } from '../../core/errors.ts'
import type { AdapterCall, Failure, ResponseHeaders } from '../../provider-kit/contract/operation-adapter.ts'
import { readFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject, parseJson } from '../../provider-kit/json.ts'

const AI_GATEWAY = 'https://gateway.ai.cloudflare.com'

/**
 * The address of a path of Workers AI; the account stands in the channel's field `other`, unless the address is an AI
 * gateway's, which has it already. Throws a GatewayError `upstream_failed` where there is none.
 * Source: developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility
 */
export function workersUrl({ channel }: Pick<AdapterCall<unknown>, 'channel'>, path: string): string {
  if (channel.baseUrl.startsWith(AI_GATEWAY)) return channel.baseUrl + path
  if (channel.other === '')
    throw new GatewayError('upstream_failed', 'the channel has no account id, which Cloudflare wants')
  return `${channel.baseUrl}/client/v4/accounts/${encodeURIComponent(channel.other)}/ai${path}`
}

/** The code of an error is a number of Cloudflare's own. */
export function readCloudflareFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const { code } = asObject(asArray(asObject(parseJson(body)).errors)[0])
  return typeof code === 'number' ? { ...failure, code: String(code) } : failure
}
