import { GatewayError } from '../../core/errors.ts'
import type { AccountReferences } from '../../provider-kit/contract/client-dialect.ts'
import { readAccountIds } from '../../provider-kit/hosted-tools.ts'
import { estimateHold } from '../billing/hold.ts'
import { release, settleAbandoned } from '../billing/settle.ts'
import type { PaidCall, PaidOperation, PaidRequest } from '../operation.ts'
import type { RelayContext } from '../relay-context.ts'
import { ClientPresence } from '../request/client-presence.ts'
import { parseRequest } from '../request/parse-request.ts'
import { bendRequest, permitForCaller } from '../request/request-policy.ts'
import { streamedErrorResponse } from '../response/error-response.ts'
import { openEarlyStream, respond } from '../response/respond.ts'
import { mayUseUnknownIds } from '../routing/account-handles.ts'
import type { ModelOperation, RelayRequest } from '../types.ts'
import { rejectIfForeign } from '../upstream/prepare-call.ts'
import { CallAbandoned, type RespondedUpstream, tryChannels } from '../upstream/try-channels.ts'

/** Does what a model can do, with the response of a channel. */
export const modelOperation = (operation: ModelOperation): PaidOperation<RelayRequest> => ({
  finishes: 'now',
  async parse(call, context) {
    const request = await parseRequest({ ...call, operation }, context)
    return adaptRequest(permitForCaller(request, context.settings), context)
  },
  estimate: (request, { channels }, { settings }) =>
    estimateHold(
      request,
      settings,
      channels.flatMap(({ region }) => region ?? []),
    ),
  bend: (request, bend, { settings }) => bendRequest(request, bend, settings),
  respondInstead: async (request, { plan, hold: { hold } }, call, { hooks }) =>
    hooks.respondInstead?.(request, { plan, leastUnits: hold.minimum ?? hold.amount }, call),
  streamEarly: ({ request, plan }, call, context) => openEarlyStream(request, plan, call, context),
  run: respondFromChannel,
  async closeHold(error, { request, reservation }, context) {
    if (error instanceof CallAbandoned) await settleAbandoned(request, error, reservation, context)
    else await release(request, reservation.hold, error, context)
  },
  writeError: (error, { request, isStreaming }) =>
    request && streamedErrorResponse(error, request, isStreaming),
})

/**
 * Binds a request to the account that alone can read what it refers to, and changes it as features do. Throws GatewayError as
 * `AccountHandles.find` and the hook.
 */
export async function adaptRequest(
  request: RelayRequest,
  { accountHandles, channels, hooks, settings }: RelayContext,
): Promise<RelayRequest> {
  const { caller, client, clientBody, operation, model } = request
  const references = client.readAccountReferences?.(clientBody) ?? NO_REFERENCES
  const ids = operation.hasFormBody ? [] : readAccountIds(clientBody)
  const boundAccount =
    references === NO_REFERENCES && ids.length === 0
      ? undefined
      : await accountHandles
          .find({ ...references, ids }, caller, mayUseUnknownIds(caller, settings))
          .catch((error: unknown) => {
            // Whose an id is does not matter where nobody could use it. Claude Code goes on without what is named.
            if (error instanceof GatewayError && error.code === 'not_found')
              rejectIfForeign(request, channels.current().find(caller.group, model))
            throw error
          })
  const bound = boundAccount ? { ...request, boundAccount } : request
  return hooks.adaptRequest ? hooks.adaptRequest(bound) : bound
}

const NO_REFERENCES: AccountReferences = { stored: [], droppable: [] }

async function respondFromChannel(
  { request, plan, reservation }: PaidRequest<RelayRequest>,
  call: PaidCall,
  context: RelayContext,
): Promise<Response> {
  const client = new ClientPresence(call.httpRequest.signal, call, context)
  try {
    const upstream = await tryChannels(request, plan, context, client)
    rememberSession(request, upstream, context)
    return await respond(request, { upstream, reservation }, { ...call, client }, context)
  } catch (error) {
    client.end()
    throw error
  }
}

function rememberSession(
  { session }: RelayRequest,
  { responder: { channel } }: RespondedUpstream,
  { sessionAffinity }: RelayContext,
): void {
  if (session !== undefined)
    sessionAffinity.remember(session, { channelId: channel.id, key: channel.view.key })
}
