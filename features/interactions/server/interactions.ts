import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse } from '#server/core/json/json.ts'
import type { LookupQuery } from '#server/relay/routes/routes.ts'
import { type AccountCall, type AccountCallDeps, callAccount } from '#server/relay/upstream/call-account.ts'

const METHODS: Readonly<Record<string, AccountCall['method']>> = { DELETE: 'DELETE', POST: 'POST' }

/** Reads, deletes or cancels an interaction, which the account that made it keeps. */
export async function callInteraction(
  { id, caller, httpRequest, connection: { url } }: LookupQuery,
  deps: AccountCallDeps,
): Promise<Response> {
  const { searchParams } = url
  if (searchParams.get('stream') === 'true') throw notStreamed()
  const method = METHODS[httpRequest.method] ?? 'GET'
  // The query may also hold the client's key.
  const query = searchParams.get('include_input') === 'true' ? '?include_input=true' : ''
  const text = await callAccount(
    {
      dialect: 'interactions',
      id,
      caller,
      method,
      rest: method === 'POST' ? '/cancel' : query,
      signal: httpRequest.signal,
      notFound: cause => interactionNotFound(id, cause),
    },
    deps,
  )
  return jsonTextResponse(text)
}

const notStreamed = (): GatewayError =>
  new GatewayError('api_not_implemented', {
    zh: '已保存的 interaction 不支持 stream，请去掉该参数',
    en: 'a stored interaction is not available with stream; leave it out',
  })

const interactionNotFound = (id: string, cause: unknown): GatewayError =>
  new GatewayError(
    'not_found',
    {
      zh: `没有 ID 为 ${JSON.stringify(id)} 的 interaction`,
      en: `there is no interaction with the ID ${JSON.stringify(id)}`,
    },
    { cause },
  )
