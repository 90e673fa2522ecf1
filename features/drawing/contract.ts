import { z } from 'zod'
import { endpoint, ListMeta, PagesFromZero } from '#contract/endpoint.ts'
import { QueryNumber, QueryText } from '#contract/fields.ts'
import { TASK_FILTERS } from '#contract/tasks.ts'

export const Drawing = z
  .object({
    id: z.number().meta({ description: 'Row id.', example: 9 }),
    code: z.number().meta({
      description:
        "The provider's result of the submission. 1: submitted, 21: waiting, 22: queued, others: rejected.",
      example: 1,
    }),
    user_id: z.number().meta({ description: 'User id.', example: 7 }),
    action: z.string().meta({ description: 'Action, such as `IMAGINE` or `UPSCALE`.', example: 'IMAGINE' }),
    mj_id: z
      .string()
      .meta({ description: 'Task id by which clients fetch it.', example: '1320098173412546' }),
    prompt: z.string().meta({ description: 'Prompt of the client.', example: 'a red fox in the snow' }),
    prompt_en: z
      .string()
      .meta({ description: 'Prompt that the provider used.', example: 'a red fox in the snow' }),
    description: z.string().meta({ description: "The provider's description.", example: 'Submit success' }),
    state: z.string().meta({ description: 'State that the client passed along.', example: '' }),
    submit_time: z
      .number()
      .meta({ description: 'Unix milliseconds of the submission.', example: 1_760_000_000_000 }),
    start_time: z
      .number()
      .meta({ description: 'Unix milliseconds of the start; 0: not started.', example: 1_760_000_002_000 }),
    finish_time: z
      .number()
      .meta({ description: 'Unix milliseconds of the end; 0: not finished.', example: 1_760_000_041_000 }),
    image_url: z.string().meta({
      description:
        'Address of the image, through this installation when images are forwarded; empty: no image yet.',
      example: 'https://ai.example.com/mj/image/1320098173412546',
    }),
    status: z.string().meta({
      description:
        '`NOT_START`, `SUBMITTED`, `MODAL`, `IN_PROGRESS`, `SUCCESS` or `FAILURE`; empty right after the submission.',
      example: 'SUCCESS',
    }),
    progress: z.string().meta({ description: 'Progress in percent.', example: '100%' }),
    fail_reason: z.string().meta({ description: 'Why it failed; empty when it did not.', example: '' }),
    channel_id: z.number().meta({ description: 'Channel id; 0 for ordinary users.', example: 12 }),
    quota: z.number().meta({ description: 'Quota units charged.', example: 50_000 }),
    buttons: z
      .string()
      .meta({ description: "The provider's follow-up actions as JSON text; empty for none.", example: '' }),
    properties: z
      .string()
      .meta({ description: "The provider's further properties as JSON text; empty for none.", example: '' }),
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
