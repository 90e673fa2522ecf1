import type { ChatBody } from '../contract/chat.ts'
import type { HostedToolSupport } from '../contract/hosted-tool.ts'
import {
  type AdapterCall,
  bearerHeaders,
  type ChatAdapter,
  stringifyBody,
} from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { openaiUrl } from '../openai-compatible/request.ts'
import type { ToolDialect } from './hosted-tools.ts'
import { createResponsesStreamReader, readReply } from './response.ts'
import { toResponsesBody } from './to-body.ts'

interface ResponsesChatOptions extends ToolDialect {
  readonly hostedTools: readonly HostedToolSupport[]
  /** Adapts the chat body to the model before it is translated. */
  readonly adjust?: (body: JsonObject, call: AdapterCall<unknown>) => JsonObject
}

/** Chat completions, except for requests with hosted tools: the provider has those in the Responses API only. */
export function chatWithHostedTools(chat: ChatAdapter, options: ResponsesChatOptions): ChatAdapter {
  return {
    ...chat,
    hostedTools: options.hostedTools,
    hasToolUrl: true,
    request: call =>
      call.hostedTools
        ? {
            url: openaiUrl(call.channel.baseUrl, '/v1/responses'),
            headers: bearerHeaders(call),
            body: stringifyBody(toResponsesBody(adjusted(call, options), options), call),
          }
        : chat.request(call),
    // Nothing is stored, so no id refers to anything.
    reply(json, call) {
      if (!call.hostedTools) return chat.reply(json, call)
      const result = readReply(json, call)
      return result.kind === 'reply' ? { ...result, handles: [] } : result
    },
    stream(call) {
      const chatReader = call.hostedTools ? undefined : chat.stream?.(call)
      if (chatReader) return chatReader
      const reader = createResponsesStreamReader(call)
      return { ...reader, end: () => ({ ...reader.end(), handles: undefined }) }
    },
  }
}

/** The cast is safe because adjustments keep the messages. */
function adjusted(call: AdapterCall<ChatBody>, { adjust }: ResponsesChatOptions): AdapterCall<ChatBody> {
  const body: JsonObject = { ...call.body, model: call.model }
  return { ...call, body: (adjust?.(body, call) ?? body) as ChatBody }
}
