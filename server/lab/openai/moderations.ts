import { z } from 'zod'
import type { Ask, Operation } from '../operation.ts'
import { openai } from './vendor.ts'

const ModerationAsk = z
  .object({ model: z.string().min(1), input: z.union([z.string().min(1), z.array(z.unknown()).min(1)]) })
  .transform(({ model, input }): Ask => {
    const results = [input].flat().map(part => {
      const flagged = /violence/.test(JSON.stringify(part))
      return { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 1 : 0 } }
    })
    return {
      model,
      lastText: '',
      isStream: false,
      reply: () => ({ whole: () => ({ id: 'modr-lab', model, results }) }),
    }
  })

/** Takes offence at one word only. Source: platform.openai.com/docs/api-reference/moderations */
export const moderations: Operation = {
  method: 'POST',
  path: /\/v1\/moderations$/,
  vendor: openai,
  read: body => ModerationAsk.safeParse(body),
}
