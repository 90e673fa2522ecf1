import { z } from 'zod'
import type { Usage } from '../../core/usage.ts'
import type { ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import type { ModerationBody, ModerationReply } from '../../provider-kit/contract/operations.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withDefaultModel } from '../../provider-kit/validation.ts'

const MODEL_DEFAULT = 'text-moderation-stable'
const INPUTS_MAX = 2_048

const ModerationJson = z.looseObject({
  model: z.string().min(1).max(MODEL_NAME_CHARS_MAX),
  input: z.union(
    [
      z.string().min(1),
      z.array(z.string()).min(1).max(INPUTS_MAX),
      z
        .array(z.looseObject({ type: z.string() }))
        .min(1)
        .max(INPUTS_MAX),
    ],
    { error: expected({ zh: '文本、文本数组或内容数组', en: 'text, a list of texts, or a list of parts' }) },
  ),
})

/**
 * Parses a moderation body and keeps unknown fields. Throws a GatewayError `invalid_request`. Source:
 * platform.openai.com/docs/api-reference/moderations/create
 */
export function parseModeration(json: unknown): ParsedBody<ModerationBody> {
  const body = toModerationBody(withDefaultModel(json, MODEL_DEFAULT))
  return { body, model: body.model, isStream: false, maxOutputTokens: 0, wantsUsage: false }
}

/** A moderation response. Source: platform.openai.com/docs/api-reference/moderations/object */
export const writeModerationReply = (
  { id, model, results }: ModerationReply,
  _: Usage,
  request: ParsedBody<ModerationBody>,
): JsonObject => ({ id: id ?? '', model: model ?? request.model, results })

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toModerationBody(json: unknown): ModerationBody {
  checkBody(ModerationJson, json)
  return json as ModerationBody
}
