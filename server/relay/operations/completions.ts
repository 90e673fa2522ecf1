import type { ChatBody, JsonObject } from '../../provider-kit/chat.ts'
import type { CompletionsBody } from '../../provider-kit/completions.ts'
import { estimatePromptTokens } from '../../provider-kit/estimate.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { chatReplies } from './chat-replies.ts'
import { chatDialect, type Operation, type OperationExchange } from './operation.ts'

/** Texts that a model goes on with. Where vendor or model know chat only, the text becomes what the user says. */
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
  promptTexts: ({ prompt }: CompletionsBody) => textsOf(prompt),
}

function throughChat({ wire, request, reply, stream, ...rest }: ChatExchange): OperationExchange {
  const asChat = (call: Call<JsonObject>): Call<ChatBody> => ({ ...call, body: toChatBody(call.body) })
  return {
    ...rest,
    request: call => request(asChat(call)),
    reply: (json, call) => reply(json, asChat(call)),
    ...(stream && { stream }),
  }
}

/** Fields of the first API that chat does not know, or means otherwise, stay behind. */
function toChatBody({ model, ...body }: JsonObject): ChatBody {
  const { prompt, suffix, echo, best_of, logprobs, ...rest } = body
  return { ...rest, model: String(model), messages: [{ role: 'user', content: textsOf(prompt).join('\n') }] }
}

const textsOf = (prompt: unknown): readonly string[] => [prompt].flat().map(String)
