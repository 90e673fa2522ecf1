import type { ChatMessage, ContentPart, ToolCall } from '../../provider-kit/contract/chat.ts'
import type { ContentJson, GenerateJson, PartJson } from './generate-json.ts'

const AUDIO = /^audio\/(?:x-)?(.+)$/
const IMAGE = /^image\//

/** The instruction and all turns, as messages of the canonical form. */
export function toChatMessages({ systemInstruction, contents }: GenerateJson): readonly ChatMessage[] {
  const calls = openCallIds()
  const instruction =
    typeof systemInstruction === 'string' ? [{ text: systemInstruction }] : systemInstruction?.parts
  const text = (instruction ?? []).map(part => part.text ?? '').join('\n')
  const system: readonly ChatMessage[] = text === '' ? [] : [{ role: 'system', content: text }]
  return [...system, ...contents.flatMap(content => toMessages(content, calls))]
}

function toMessages({ role, parts }: ContentJson, calls: CallIds): readonly ChatMessage[] {
  if (role === 'model') return [toAssistantMessage(parts ?? [], calls)]
  const said = oneText((parts ?? []).flatMap(toParts))
  const results = (parts ?? []).flatMap(part => toToolMessage(part, calls))
  return said.length > 0 ? [...results, { role: 'user', content: said }] : results
}

function toAssistantMessage(parts: readonly PartJson[], calls: CallIds): ChatMessage {
  const thoughts = parts.filter(({ thought }) => thought)
  const said = oneText(parts.filter(({ thought }) => !thought).flatMap(toParts))
  const called = parts.flatMap(part => toToolCall(part, calls))
  const signature = thoughts.findLast(part => part.thoughtSignature)?.thoughtSignature
  return {
    role: 'assistant',
    content: said.length > 0 ? said : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.map(({ text }) => text ?? '').join('') }),
    ...(signature && { reasoning_signature: signature }),
    ...(called.length > 0 && { tool_calls: called }),
  }
}

function toToolCall({ functionCall: call, thoughtSignature }: PartJson, calls: CallIds): readonly ToolCall[] {
  if (!call) return []
  const named = { name: call.name, arguments: JSON.stringify(call.args ?? {}) }
  const extra = thoughtSignature && { google: { thought_signature: thoughtSignature } }
  return [
    {
      id: calls.called(call.name, call.id),
      type: 'function',
      function: named,
      ...(extra && { extra_content: extra }),
    },
  ]
}

function toToolMessage({ functionResponse: result }: PartJson, calls: CallIds): readonly ChatMessage[] {
  if (!result) return []
  const { name, id, response } = result
  const content = typeof response === 'string' ? response : JSON.stringify(response ?? {})
  return [{ role: 'tool', tool_call_id: calls.answered(name, id), content }]
}

function toParts({ text, inlineData, fileData }: PartJson): readonly ContentPart[] {
  if (text !== undefined) return [{ type: 'text', text }]
  if (fileData) return [toMedia(fileData.mimeType ?? 'image/*', fileData.fileUri)]
  if (!inlineData) return []
  const { mimeType, data } = inlineData
  const format = AUDIO.exec(mimeType)?.[1]
  return format === undefined
    ? [toMedia(mimeType, `data:${mimeType};base64,${data}`)]
    : [{ type: 'input_audio', input_audio: { data, format: format === 'mpeg' ? 'mp3' : format } }]
}

const toMedia = (mimeType: string, url: string): ContentPart =>
  IMAGE.test(mimeType)
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: 'file', file_data: url } }

/** One text where that is all, so that vendors who know texts only understand it. */
function oneText(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

/** Google's clients may leave ids out: a result then belongs to the oldest open call of its name. */
interface CallIds {
  called(name: string, id: string | null | undefined): string
  answered(name: string, id: string | null | undefined): string
}

function openCallIds(): CallIds {
  const open: { readonly name: string; readonly id: string }[] = []
  let count = 0
  return {
    called(name, id) {
      count += 1
      const call = { name, id: id || `call_${count}` }
      open.push(call)
      return call.id
    },
    answered(name, id) {
      const at = open.findIndex(call => (id ? call.id === id : call.name === name))
      const [call] = at < 0 ? [] : open.splice(at, 1)
      return id || call?.id || `call_${name}`
    },
  }
}
