import type { ChatBody, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, ChatAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import type { CompletionsBody } from '../../provider-kit/contract/operations.ts'
import { estimatePromptTokens } from '../../provider-kit/estimate-tokens.ts'
import type { AnyOperationAdapter, Operation } from '../types.ts'
import { chatReplies } from './chat.ts'
import { chatDialect } from './operation-dialect.ts'

/** Text completion. For a vendor or model that only supports chat, the prompt becomes a user message. */
export const completions: Operation = {
  ...chatReplies,
  name: 'completions',
  findDialect: client => chatDialect(client.completions),
  findAdapter: provider => provider.chat && throughChat(provider.chat),
  findNativeAdapter(provider, _client, model) {
    const { completions: native } = provider
    return native?.serves?.(model) === false ? undefined : native
  },
  inputTokens: (body: CompletionsBody) => estimatePromptTokens(toChatBody(body)),
  promptTexts: ({ prompt }: CompletionsBody) => toTexts(prompt),
}

function throughChat({ nativeFormat, request, reply, stream, ...rest }: ChatAdapter): AnyOperationAdapter {
  const toChatCall = (call: AdapterCall<JsonObject>): AdapterCall<ChatBody> => ({
    ...call,
    body: toChatBody(call.body),
  })
  return {
    ...rest,
    request: call => request(toChatCall(call)),
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
