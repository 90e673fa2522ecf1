import { z } from 'zod'
import { endpoint, ListMeta, PagesFromZero } from './endpoint.ts'
import { QueryNumber, QueryText } from './fields.ts'

/** Platforms of asynchronous tasks other than drawing. */
export const TASK_PLATFORMS = ['suno'] as const

/** Times are in milliseconds. */
export const Drawing = z.object({
  id: z.number(),
  /** The vendor's answer to the submission: 1 submitted, 21 waiting, 22 queued, others refused. */
  code: z.number(),
  user_id: z.number(),
  action: z.string(),
  /** The drawing's own id, by which clients fetch it. */
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.number(),
  start_time: z.number(),
  /** 0 while it runs. */
  finish_time: z.number(),
  /** Through this installation when pictures are forwarded; empty while there is none. */
  image_url: z.string(),
  /** NOT_START, SUBMITTED, MODAL, IN_PROGRESS, SUCCESS, FAILURE, or empty right after the submission. */
  status: z.string(),
  /** A percentage, for example `46%`. */
  progress: z.string(),
  fail_reason: z.string(),
  /** 0 in a user's own list. */
  channel_id: z.number(),
  quota: z.number(),
  /** JSON texts as the vendor told them; empty while there is nothing. */
  buttons: z.string(),
  properties: z.string(),
})
export type Drawing = z.infer<typeof Drawing>

/** Times are in seconds. */
export const Task = z.object({
  id: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
  task_id: z.string(),
  platform: z.string(),
  user_id: z.number(),
  /** 0 in a user's own list. */
  channel_id: z.number(),
  quota: z.number(),
  /** MUSIC or LYRICS. */
  action: z.string(),
  /** NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, UNKNOWN, or empty while submitting. */
  status: z.string(),
  fail_reason: z.string(),
  submit_time: z.number(),
  start_time: z.number(),
  /** 0 while it runs. */
  finish_time: z.number(),
  progress: z.string(),
  properties: z.object({ input: z.string() }),
  /** As the vendor tells it: songs with their addresses, or lyrics; null while there is nothing. */
  data: z.unknown(),
})
export type Task = z.infer<typeof Task>

const OwnDrawings = PagesFromZero.extend({
  mj_id: QueryText,
  status: QueryText,
  action: QueryText,
  /** Milliseconds. */
  start_timestamp: QueryNumber,
  end_timestamp: QueryNumber,
})
const AllDrawings = OwnDrawings.extend({ channel_id: QueryNumber })
export type DrawingQuery = z.infer<typeof AllDrawings>

const OwnTasks = PagesFromZero.extend({
  platform: QueryText,
  task_id: QueryText,
  status: QueryText,
  action: QueryText,
  /** Seconds. */
  start_timestamp: QueryNumber,
  end_timestamp: QueryNumber,
})
const AllTasks = OwnTasks.extend({ channel_id: QueryNumber })
export type TaskQuery = z.infer<typeof AllTasks>

export const listDrawings = endpoint({
  method: 'GET',
  path: '/api/mj/',
  role: 'admin',
  summary: 'Drawings of everybody, newest first; times in milliseconds',
  query: AllDrawings,
  reply: z.array(Drawing),
  meta: ListMeta,
})

export const listSelfDrawings = endpoint({
  method: 'GET',
  path: '/api/mj/self',
  role: 'user',
  summary: "The caller's own drawings, newest first; times in milliseconds",
  query: OwnDrawings,
  reply: z.array(Drawing),
  meta: ListMeta,
})

export const listTasks = endpoint({
  method: 'GET',
  path: '/api/task/',
  role: 'admin',
  summary: 'Tasks of everybody, newest first; times in seconds',
  query: AllTasks,
  reply: z.array(Task),
  meta: ListMeta,
})

export const listSelfTasks = endpoint({
  method: 'GET',
  path: '/api/task/self',
  role: 'user',
  summary: "The caller's own tasks, newest first; times in seconds",
  query: OwnTasks,
  reply: z.array(Task),
  meta: ListMeta,
})
