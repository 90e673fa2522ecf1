import { z } from 'zod'
import { endpoint, ListMeta, PagesFromZero } from '#contract/endpoint.ts'
import { QueryNumber, QueryText } from '#contract/fields.ts'
import { TASK_FILTERS } from '#contract/tasks.ts'

/** Platforms of asynchronous tasks other than drawing. */
export const TASK_PLATFORMS = ['suno'] as const

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

const OwnTasks = PagesFromZero.extend({
  platform: QueryText.meta({ description: 'Exact platform. Empty: any.', example: 'suno' }),
  task_id: QueryText.meta({ description: 'Exact task id. Empty: any.', example: '' }),
  status: TASK_FILTERS.status,
  action: TASK_FILTERS.action,
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds, inclusive. 0: open.',
    example: 1_760_000_000,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, inclusive. 0: open.',
    example: 1_760_086_400,
  }),
})

const AllTasks = OwnTasks.extend({ channel_id: TASK_FILTERS.channel_id })

export type TaskQuery = z.infer<typeof AllTasks>

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
