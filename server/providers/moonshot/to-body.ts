import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asString } from '../../provider-kit/json.ts'

/** The models of the first generation refuse the tool choice `required`. */
export const toMoonshotBody = (body: JsonObject): JsonObject =>
  body.tool_choice === 'required' && asString(body.model)?.startsWith('moonshot-v1')
    ? { ...body, tool_choice: 'auto' }
    : body
