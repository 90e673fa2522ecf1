import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asArray, asObject, asString, isObject } from '../../provider-kit/json.ts'

/** What Zhipu wants otherwise and data cannot say. Source: docs.bigmodel.cn/api-reference */
export function toZhipuBody({ stop, temperature, tool_choice, tools, ...body }: JsonObject): JsonObject {
  const firstStop = Array.isArray(stop) ? stop[0] : stop
  return {
    ...body,
    messages: asArray(body.messages).map(toZhipuMessage),
    ...(asString(firstStop) && { stop: [firstStop] }),
    ...toSampling(temperature),
    ...(tools && tool_choice !== 'none' ? { tools, tool_choice: 'auto' } : {}),
  }
}

/** A temperature of nothing is said as no sampling at all; others have two decimals. */
function toSampling(temperature: unknown): JsonObject {
  if (typeof temperature !== 'number') return {}
  return temperature === 0 ? { do_sample: false } : { temperature: Math.round(temperature * 100) / 100 }
}

function toZhipuMessage(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(toZhipuPart) }
}

/** Pictures come as bare base64, without the words of a data URL before it. */
function toZhipuPart(part: unknown): unknown {
  if (!isObject(part) || part.type !== 'image_url') return part
  const url = asString(part.image_url) ?? asString(asObject(part.image_url).url) ?? ''
  return { type: 'image_url', image_url: { url: url.replace(/^data:[^,]*;base64,/, '') } }
}
