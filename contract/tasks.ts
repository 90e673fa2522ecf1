import { z } from 'zod'
import { endpoint, ListMeta, PagesFromZero } from './endpoint.ts'
import { QueryNumber, QueryText } from './fields.ts'

/** Platforms of asynchronous tasks other than drawing. */
export const TASK_PLATFORMS = ['suno'] as const

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

export const Task = z
  .object({
    id: z.number().meta({ description: 'Row id.', example: 9 }),
    created_at: z.number().meta({ description: 'Unix seconds of the creation.', example: 1_760_000_000 }),
    updated_at: z.number().meta({ description: 'Unix seconds of the last change.', example: 1_760_000_041 }),
    task_id: z.string().meta({
      description: 'Task id by which clients fetch it.',
      example: '8b6f0f6e-2c0a-4f7e-9a55-0d5f2f0f1c33',
    }),
    platform: z.string().meta({ description: 'Platform.', example: 'suno' }),
    user_id: z.number().meta({ description: 'User id.', example: 7 }),
    channel_id: z.number().meta({ description: 'Channel id; 0 for ordinary users.', example: 12 }),
    quota: z.number().meta({ description: 'Quota units charged.', example: 50_000 }),
    action: z.string().meta({ description: '`MUSIC` or `LYRICS`.', example: 'MUSIC' }),
    status: z.string().meta({
      description:
        '`NOT_START`, `SUBMITTED`, `QUEUED`, `IN_PROGRESS`, `SUCCESS`, `FAILURE` or `UNKNOWN`; empty while submitting.',
      example: 'SUCCESS',
    }),
    fail_reason: z.string().meta({ description: 'Why it failed; empty when it did not.', example: '' }),
    submit_time: z.number().meta({ description: 'Unix seconds of the submission.', example: 1_760_000_000 }),
    start_time: z
      .number()
      .meta({ description: 'Unix seconds of the start; 0: not started.', example: 1_760_000_002 }),
    finish_time: z
      .number()
      .meta({ description: 'Unix seconds of the end; 0: not finished.', example: 1_760_000_041 }),
    progress: z.string().meta({ description: 'Progress in percent.', example: '100%' }),
    properties: z
      .object({ input: z.string().meta({ description: 'Prompt of the client.', example: 'a sea shanty' }) })
      .meta({ description: 'Input of the task.' }),
    data: z.unknown().meta({
      description: "The provider's result, such as songs or lyrics; null while there is none.",
      example: null,
    }),
  })
  .meta({ id: 'Task', description: 'An asynchronous task. Times are in seconds.' })
export type Task = z.infer<typeof Task>

const status = QueryText.meta({ description: 'Exact status. Empty: any.', example: 'SUCCESS' })
const action = QueryText.meta({ description: 'Exact action. Empty: any.', example: '' })
const channelId = QueryNumber.meta({ description: 'Channel id. 0: any.', example: 0 })

const OwnDrawings = PagesFromZero.extend({
  mj_id: QueryText.meta({ description: 'Exact task id. Empty: any.', example: '' }),
  status,
  action,
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix milliseconds, inclusive. 0: open.',
    example: 1_760_000_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix milliseconds, inclusive. 0: open.',
    example: 1_760_086_400_000,
  }),
})
const AllDrawings = OwnDrawings.extend({ channel_id: channelId })
export type DrawingQuery = z.infer<typeof AllDrawings>

const OwnTasks = PagesFromZero.extend({
  platform: QueryText.meta({ description: 'Exact platform. Empty: any.', example: 'suno' }),
  task_id: QueryText.meta({ description: 'Exact task id. Empty: any.', example: '' }),
  status,
  action,
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds, inclusive. 0: open.',
    example: 1_760_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, inclusive. 0: open.',
    example: 1_760_086_400,
  }),
})
const AllTasks = OwnTasks.extend({ channel_id: channelId })
export type TaskQuery = z.infer<typeof AllTasks>

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

export const listTasks = endpoint({
  method: 'GET',
  path: '/api/task/',
  role: 'admin',
  summary: 'List the tasks of all users',
  description: 'Newest first.',
  query: AllTasks,
  reply: z.array(Task),
  meta: ListMeta,
})

export const listSelfTasks = endpoint({
  method: 'GET',
  path: '/api/task/self',
  role: 'user',
  summary: 'List your tasks',
  description: 'Newest first.',
  query: OwnTasks,
  reply: z.array(Task),
  meta: ListMeta,
})
