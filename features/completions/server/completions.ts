import type { ChatBody } from '#server/provider-kit/contract/chat.ts'
import type { AdapterCall, ChatAdapter } from '#server/provider-kit/contract/operation-adapter.ts'
import type { CompletionsBody } from '#server/provider-kit/contract/operations.ts'
import { estimatePromptTokens, estimateTextTokens } from '#server/provider-kit/estimate-tokens.ts'
import { asString, type JsonObject } from '#server/provider-kit/json.ts'
import { chatDialect, chatReplies } from '#server/relay/operations/chat.ts'
import type { AnyOperationAdapter, ModelOperation } from '#server/relay/types.ts'

/** Text completion. For a provider or model that only supports chat, the prompt becomes a user message. */
export const completions: ModelOperation = {
  ...chatReplies,
  name: 'completions',
  findDialect: client => chatDialect(client.completions),
  findAdapter: provider => provider.chat && throughChat(provider.chat),
  findNativeAdapter(provider, _client, model) {
    const { completions: native } = provider
    return native?.serves?.(model) === false ? undefined : native
  },
  inputTokens: (body: CompletionsBody) =>
    estimatePromptTokens(toChatBody(body)) + estimateTextTokens(asString(body.suffix) ?? ''),
}

/** The text between a prompt and a suffix: a request of text completions, with a response of chat. */
export const fim: ModelOperation = {
  ...completions,
  findDialect: client => chatDialect(client.fim),
  findAdapter: () => undefined,
  findNativeAdapter(provider, client, model) {
    const native = completions.findNativeAdapter?.(provider, client, model)
    return native && withStandardNames(native)
  },
}

/** Providers of text completions know the fields by OpenAI's names. Their responses are never passed through. */
function withStandardNames({ nativeFormat, request, ...rest }: AnyOperationAdapter): AnyOperationAdapter {
  return {
    ...rest,
    request({ body: { random_seed: seed, ...body }, ...call }: AdapterCall<JsonObject>) {
      return request({ ...call, body: seed === undefined ? body : { ...body, seed } })
    },
  }
}

function throughChat({
  nativeFormat,
  request,
  reply,
  stream,
  adjustments,
  ...rest
}: ChatAdapter): AnyOperationAdapter {
  const toChatCall = (call: AdapterCall<JsonObject>): AdapterCall<ChatBody> => ({
    ...call,
    body: toChatBody(call.body),
  })
  return {
    ...rest,
    request: call => request(toChatCall(call)),
    ...(adjustments && { adjustments: call => adjustments(toChatCall(call)) }),
    reply: (json, call) => reply(json, toChatCall(call)),
    ...(stream && { stream }),
  }
}

/** Drops the fields that chat does not have or defines differently. */
function toChatBody({ model, ...body }: JsonObject): ChatBody {
  const { prompt, suffix, echo, best_of, logprobs, ...rest } = body
  return { ...rest, model: String(model), messages: [{ role: 'user', content: toTexts(prompt).join('\n') }] }
}

const toTexts = (prompt: unknown): readonly string[] => [prompt].flat().map(String)
