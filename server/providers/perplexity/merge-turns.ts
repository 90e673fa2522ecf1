import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asArray, asObject, asString } from '../../provider-kit/json.ts'

const MERGED_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant'])

/** Turns must alternate: neighbours of one role become one message. */
export function withTurnsMerged(body: JsonObject): JsonObject {
  const merged: JsonObject[] = []
  for (const message of asArray(body.messages).map(asObject)) {
    const former = merged.at(-1)
    if (former && former.role === message.role && MERGED_ROLES.has(message.role))
      merged[merged.length - 1] = { ...former, content: join(former.content, message.content) }
    else merged.push(message)
  }
  return { ...body, messages: merged }
}

function join(first: unknown, second: unknown): unknown {
  const texts = [asString(first), asString(second)]
  if (texts.every(text => text !== undefined)) return texts.filter(Boolean).join('\n\n')
  return [...partsOf(first), ...partsOf(second)]
}

const partsOf = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content)
