import { z } from 'zod'
import { endpoint, ListMeta, PagesFromZero } from '#contract/endpoint.ts'
import { numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'
import { TASK_FILTERS } from '#contract/tasks.ts'

export const Drawing = z
  .object({
    id: numberField('Row id.', 9),
    code: numberField(
      "The provider's result of the submission. 1: submitted, 21: waiting, 22: queued, others: rejected.",
      1,
    ),
    user_id: numberField('User id.', 7),
    action: textField('Action, such as `IMAGINE` or `UPSCALE`.', 'IMAGINE'),
    mj_id: textField('Task id by which clients fetch it.', '1320098173412546'),
    prompt: textField('Prompt of the client.', 'a red fox in the snow'),
    prompt_en: textField('Prompt that the provider used.', 'a red fox in the snow'),
    description: textField("The provider's description.", 'Submit success'),
    state: textField('State that the client passed along.', ''),
    submit_time: numberField('Unix milliseconds of the submission.', 1_760_000_000_000),
    start_time: numberField('Unix milliseconds of the start; 0: not started.', 1_760_000_002_000),
    finish_time: numberField('Unix milliseconds of the end; 0: not finished.', 1_760_000_041_000),
    image_url: textField(
      'Address of the image, through this installation when images are forwarded; empty: no image yet.',
      'https://ai.example.com/mj/image/1320098173412546',
    ),
    status: textField(
      '`NOT_START`, `SUBMITTED`, `MODAL`, `IN_PROGRESS`, `SUCCESS` or `FAILURE`; empty right after the submission.',
      'SUCCESS',
    ),
    progress: textField('Progress in percent.', '100%'),
    fail_reason: textField('Why it failed; empty when it did not.', ''),
    channel_id: numberField('Channel id; 0 for ordinary users.', 12),
    quota: numberField('Quota units charged.', 50_000),
    buttons: textField("The provider's follow-up actions as JSON text; empty for none.", ''),
    properties: textField("The provider's further properties as JSON text; empty for none.", ''),
  })
  .meta({ id: 'Drawing', description: 'A drawing task. Times are in milliseconds.' })

export type Drawing = z.infer<typeof Drawing>

const OwnDrawings = PagesFromZero.extend({
  mj_id: QueryText.meta({ description: 'Exact task id. Empty: any.', example: '' }),
  status: TASK_FILTERS.status,
  action: TASK_FILTERS.action,
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix milliseconds, inclusive. 0: open.',
    example: 1_760_000_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix milliseconds, inclusive. 0: open.',
    example: 1_760_086_400_000,
  }),
})

const AllDrawings = OwnDrawings.extend({ channel_id: TASK_FILTERS.channel_id })

export type DrawingQuery = z.infer<typeof AllDrawings>

export const listDrawings = endpoint({
  method: 'GET',
  path: '/api/mj/',
  role: 'admin',
  summary: 'List the drawings of all users',
  description: 'Newest first.',
  query: AllDrawings,
  reply: z.array(Drawing),
  meta: ListMeta,
})

export const listSelfDrawings = endpoint({
  method: 'GET',
  path: '/api/mj/self',
  role: 'user',
  summary: 'List your drawings',
  description: 'Newest first.',
  query: OwnDrawings,
  reply: z.array(Drawing),
  meta: ListMeta,
})
