import type { JsonObject } from '../../provider-kit/chat.ts'
import { textOf } from '../../provider-kit/json.ts'

/** The models of the first generation refuse the tool choice `required`. */
export const toMoonshotBody = (body: JsonObject): JsonObject =>
  body.tool_choice === 'required' && textOf(body.model)?.startsWith('moonshot-v1')
    ? { ...body, tool_choice: 'auto' }
    : body
