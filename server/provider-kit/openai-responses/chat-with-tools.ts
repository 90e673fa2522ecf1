import type { ChatBody, ChatChunk } from '../contract/chat.ts'
import type { HostedToolSupport } from '../contract/hosted-tool.ts'
import {
  type AdapterCall,
  bearerHeaders,
  type ChatAdapter,
  type StreamCall,
  type StreamReader,
  stringifyBody,
} from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { openaiUrl } from '../openai-compatible/request.ts'
import { COMPATIBLE_RULES } from '../openai-compatible/rules.ts'
import { type ChatRules, withRules } from '../rules/chat-rules.ts'
import type { ToolDialect } from './hosted-tools.ts'
import { createResponsesStreamReader, readReply } from './response.ts'
import { toResponsesBody } from './to-body.ts'

interface ResponsesChatOptions extends ToolDialect {
  readonly hostedTools: readonly HostedToolSupport[]
  readonly rules?: ChatRules
  /** Adapts the chat body to the model before it is translated. */
  readonly adjust?: (body: JsonObject, call: AdapterCall<unknown>) => JsonObject
}

/** Chat completions, except for requests with hosted tools: the provider has those in the Responses API only. */
export function chatWithHostedTools(chat: ChatAdapter, options: ResponsesChatOptions): ChatAdapter {
  const chooseFor = ({ hostedTools }: Pick<AdapterCall<unknown>, 'hostedTools'>): ChatAdapter =>
    hostedTools ? withTools : chat
  const readTools = (call: StreamCall): StreamReader<ChatChunk> => {
    const reader = createResponsesStreamReader(call)
    return { ...reader, end: () => ({ ...reader.end(), handles: undefined }) }
  }
  const withTools = withRules(
    {
      request: call => ({
        url: openaiUrl(call.channel.baseUrl, '/v1/responses'),
        headers: bearerHeaders(call),
        body: stringifyBody(toResponsesBody(adjusted(call, options), options), call),
      }),
      // Nothing is stored, so no id refers to anything.
      reply(json, call) {
        const result = readReply(json, call)
        return result.kind === 'reply' ? { ...result, handles: [] } : result
      },
      stream: readTools,
    },
    options.rules ?? COMPATIBLE_RULES,
  )
  return {
    ...chat,
    hostedTools: options.hostedTools,
    hasToolUrl: true,
    request: call => chooseFor(call).request(call),
    reply: (json, call) => chooseFor(call).reply(json, call),
    stream: call => chooseFor(call).stream?.(call) ?? readTools(call),
  }
}

/** The cast is safe because adjustments keep the messages. */
function adjusted(call: AdapterCall<ChatBody>, { adjust }: ResponsesChatOptions): AdapterCall<ChatBody> {
  const body: JsonObject = { ...call.body, model: call.model }
  return { ...call, body: (adjust?.(body, call) ?? body) as ChatBody }
}
