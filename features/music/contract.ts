import { z } from 'zod'
import { endpoint, ListMeta, PagesFromZero } from '#contract/endpoint.ts'
import { numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'
import { TASK_FILTERS } from '#contract/tasks.ts'

/** Platforms of asynchronous tasks other than drawing. */
export const TASK_PLATFORMS = ['suno'] as const

export const Task = z
  .object({
    id: numberField('Row id.', 9),
    created_at: numberField('Unix seconds of the creation.', 1_760_000_000),
    updated_at: numberField('Unix seconds of the last change.', 1_760_000_041),
    task_id: textField('Task id by which clients fetch it.', '8b6f0f6e-2c0a-4f7e-9a55-0d5f2f0f1c33'),
    platform: textField('Platform.', 'suno'),
    user_id: numberField('User id.', 7),
    channel_id: numberField('Channel id; 0 for ordinary users.', 12),
    quota: numberField('Quota units charged.', 50_000),
    action: textField('`MUSIC` or `LYRICS`.', 'MUSIC'),
    status: textField(
      '`NOT_START`, `SUBMITTED`, `QUEUED`, `IN_PROGRESS`, `SUCCESS`, `FAILURE` or `UNKNOWN`; empty while submitting.',
      'SUCCESS',
    ),
    fail_reason: textField('Why it failed; empty when it did not.', ''),
    submit_time: numberField('Unix seconds of the submission.', 1_760_000_000),
    start_time: numberField('Unix seconds of the start; 0: not started.', 1_760_000_002),
    finish_time: numberField('Unix seconds of the end; 0: not finished.', 1_760_000_041),
    progress: textField('Progress in percent.', '100%'),
    properties: z
      .object({ input: textField('Prompt of the client.', 'a sea shanty') })
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
