import { nowSeconds } from '../core/clock.ts'
import type { Database } from './database.ts'
import { addToUsageHours } from './usage-hours.ts'

/** 1 top-up, 3 management, 4 system. */
export type EventType = 1 | 3 | 4

export interface LoggedEvent {
  readonly type: EventType
  readonly userId: number
  readonly username: string
  /** For people, in plain words; amounts as the settings show them. */
  readonly content: string
  /** Units that were moved; 0 when none were. */
  readonly quota?: number
  readonly requestId?: string
}

const HOUR_SECONDS = 3600

/** Writes the log row of something that was not a model call, and counts it in its hour, in the caller's transaction. */
export async function insertEventLog(tx: Database, event: LoggedEvent): Promise<void> {
  const created_at = nowSeconds()
  await addToUsageHours(tx, [
    {
      hour: created_at - (created_at % HOUR_SECONDS),
      user_id: event.userId,
      token_id: 0,
      channel_id: 0,
      model_name: '',
      group: '',
      type: event.type,
      count: 1,
      quota: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
    },
  ])
  await tx
    .insertInto('logs')
    .values({
      request_id: event.requestId ?? '',
      user_id: event.userId,
      created_at,
      type: event.type,
      username: event.username,
      token_id: 0,
      token_name: '',
      model_name: '',
      channel_id: 0,
      group: '',
      quota: event.quota ?? 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      use_time: 0,
      is_stream: 0,
      content: event.content,
    })
    .execute()
}
