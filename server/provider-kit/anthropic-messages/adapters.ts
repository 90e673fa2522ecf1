import {
  type AdapterCall,
  type ChatAdapter,
  type NativeAdapter,
  type UpstreamRequest,
  withoutThoughtForm,
} from '../contract/operation-adapter.ts'
import { type Failure, type ResponseHeaders, readFailure } from '../failures.ts'
import type { JsonObject } from '../json.ts'
import { withRules } from '../rules/chat-rules.ts'
import { forMappedModels } from '../rules/mapped-model.ts'
import { withoutForeignBlocks } from './foreign-blocks.ts'
import { ANTHROPIC_TOOLS } from './hosted-tools.ts'
import { toMappedBody } from './mapped-body.ts'
import { createAnthropicStreamReader, readReply } from './response.ts'
import { CLAUDE_RULES } from './rules.ts'
import {
  asksToThink,
  getModelRules,
  planThinking,
  withoutThinkingSuffix,
  withPossibleThinking,
} from './thinking.ts'
import { toAnthropicBody } from './to-body.ts'

/** Builds the request for a finished Messages API body: URL and authentication differ between hosts. */
export type ToAnthropicRequest = (call: AdapterCall<unknown>, body: JsonObject) => UpstreamRequest

/** Chat with Claude on any host. Source: docs.claude.com/en/api/messages */
export const anthropicChat = (toRequest: ToAnthropicRequest): ChatAdapter =>
  withRules(
    {
      nativeFormat: 'anthropic',
      framing: 'sse',
      hostedTools: ANTHROPIC_TOOLS,
      request: call => toRequest(call, toAnthropicBody(call)),
      reply: json => readReply(json),
      stream: () => createAnthropicStreamReader(),
      failure: readAnthropicFailure,
    },
    CLAUDE_RULES,
  )

/**
 * For clients of Anthropic's own API: the body is forwarded unchanged, except for the model, its thinking suffix, and
 * searches and thinking of other providers in the conversation.
 */
export const anthropicNative = (toRequest: ToAnthropicRequest): NativeAdapter =>
  forMappedModels(
    {
      ...withoutThoughtForm(anthropicChat(toRequest)),
      request: call => toRequest(call, toNativeBody(call)),
      reply: (json, call) => readReply(json, mayKeepThread(call)),
      stream: call => createAnthropicStreamReader(mayKeepThread(call)),
    },
    toMappedBody,
  )

/** Messages of a thread are read again by the account that keeps it, under their ids. Source: `BetaMessageThreadParam` of Anthropic's SDK */
const mayKeepThread = ({ forwardedHeaders }: Pick<AdapterCall<unknown>, 'forwardedHeaders'>): boolean =>
  /\bmessage-threads-/.test(forwardedHeaders?.['anthropic-beta'] ?? '')

/**
 * The client's own body with the provider's model name. Clients of Vertex AI and Bedrock put a version of the API into it,
 * which is a header at Anthropic and set by the adapter elsewhere.
 */
export function toNativeBody({ body: clientBody, model: name }: AdapterCall<JsonObject>): JsonObject {
  const body = withOwnHistory(clientBody)
  const model = withoutThinkingSuffix(name)
  if (!asksToThink(name) || body.thinking) return { ...body, model }
  const maxTokens = typeof body.max_tokens === 'number' ? body.max_tokens : 0
  const plan = planThinking({ hasSuffix: true, effort: undefined, maxTokens }, getModelRules(model))
  if (!plan) return { ...body, model }
  const { temperature, top_p, top_k, ...rest } = body
  return { ...rest, model, max_tokens: plan.maxTokens, thinking: plan.thinking }
}

/** Also of a body whose tokens are to be counted. */
export function withOwnHistory({ anthropic_version: _, ...body }: JsonObject): JsonObject {
  return Array.isArray(body.messages)
    ? withPossibleThinking({ ...body, messages: withoutForeignBlocks(body.messages) })
    : body
}

/**
 * An empty account is reported as a 400 about the request. It is retryable, since another channel's account may have
 * credit.
 */
function readAnthropicFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const isUnpaid = /credit balance is too low/i.test(failure.message)
  return isUnpaid ? { ...failure, isKeyRevoked: true, isRetryable: true } : failure
}
