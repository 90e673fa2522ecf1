import { elapsedMs } from '#server/core/clock.ts'
import { NO_USAGE } from '#server/core/usage.ts'
import type { ChatBody } from '#server/provider-kit/contract/chat.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import { estimatePromptTokens } from '#server/provider-kit/estimate-tokens.ts'
import { canPay } from '#server/relay/admission/admit.ts'
import type { FreeOperation } from '#server/relay/operation.ts'
import { adaptRequest } from '#server/relay/operations/model-operation.ts'
import { parseRequest } from '#server/relay/request/parse-request.ts'
import { AttemptsFailed } from '#server/relay/routing/attempts.ts'
import { chooseRoute, type RoutingDeps, withCurrentState } from '#server/relay/routing/choose-route.ts'
import type { ModelOperation, RelayRequest } from '#server/relay/types.ts'
import { tryChannels, type UpstreamDeps } from '#server/relay/upstream/try-channels.ts'

/** Counts the tokens of a chat request, for every purpose. It is free, so that it needs no hold. */
export const tokenCount: FreeOperation<RelayRequest> = {
  finishes: 'free',
  async parse(call, context) {
    context.processorBudget.require(call.caller)
    // At once, so that counts at the same time see it.
    context.processorBudget.spend(call.caller, BODY_MS)
    let spentMs = 0
    const bodySize = canPay(call.caller, context) ? 'any' : 'small'
    const operation = { ...createCounting(ms => (spentMs += ms)), bodySize } as const
    try {
      return await adaptRequest(await parseRequest({ ...call, operation }, context), context)
    } finally {
      context.processorBudget.spend(call.caller, spentMs)
    }
  },
  respond: (request, { httpRequest }, context) => respondWithTokenCount(request, context, httpRequest.signal),
}

/** What reading a body costs at most, beside the steps that are measured. */
const BODY_MS = 20

const createCounting = (onStep: (ms: number) => void): ModelOperation => ({
  name: 'token-count',
  findDialect({ chat: { parse, writeTokenCount } }: ClientDialect) {
    return (
      writeTokenCount && {
        parse: (json, urlParams) => ({ ...timed(() => parse(json, urlParams), onStep), isStream: false }),
        writeReply: (tokens: number) => writeTokenCount(tokens),
      }
    )
  },
  findAdapter: () => undefined,
  findNativeAdapter: (provider, client) => provider.tokenCount?.[client],
  inputTokens: (body: ChatBody) => timed(() => estimatePromptTokens(body), onStep),
  outputTokens: () => 0,
  hasOutput: () => true,
})

/** Tells clients that the count is our estimate. */
const ESTIMATED = { 'x-tollgate-token-count': 'estimated' }

/** Responds with the provider's count, or with our estimate when no provider gives one, which a header says. */
async function respondWithTokenCount(
  request: RelayRequest,
  deps: RoutingDeps & UpstreamDeps,
  signal: AbortSignal,
): Promise<Response> {
  const counted = await countUpstream(request, deps, signal)
  const reply = request.dialect.writeReply(counted ?? request.inputTokens, NO_USAGE, request)
  return Response.json(reply, { headers: counted === undefined ? ESTIMATED : {} })
}

async function countUpstream(
  request: RelayRequest,
  deps: RoutingDeps & UpstreamDeps,
  signal: AbortSignal,
): Promise<unknown> {
  const plan = await withCurrentState(
    // Input that no channel takes can still be counted.
    () => chooseRoute({ ...request, inputTokens: 0 }, deps),
    deps.refreshState,
  )
  try {
    // It is free, so nothing is lost when its response is not read.
    const client = { upstreamSignal: signal, hasLeft: signal.aborted }
    const { response, call } = await tryChannels(request, plan, deps, client)
    call.end('success')
    return response.kind === 'json' ? response.reply : undefined
  } catch (error) {
    if (error instanceof AttemptsFailed) return undefined
    throw error
  }
}

function timed<Result>(step: () => Result, onStep: (ms: number) => void): Result {
  const startedMs = elapsedMs()
  const result = step()
  onStep(elapsedMs() - startedMs)
  return result
}
