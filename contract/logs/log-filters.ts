import { z } from 'zod'
import { QueryNumber, QueryNumbers, QueryText } from '../fields.ts'

/** Which of the own rows are meant. */
export const OwnFilters = z.object({
  /** 0 any. */
  type: QueryNumber,
  /** Unix seconds, both included; 0 open. */
  start_timestamp: QueryNumber,
  end_timestamp: QueryNumber,
  token_name: QueryText,
  /** One name, or several with commas between. */
  model_name: QueryText,
  group: QueryText,
  request_id: QueryText,
  /** Rows with one of these are left out: types and models with commas between, tokens and groups one a line. */
  not_type: QueryNumbers,
  not_model_name: QueryText,
  not_token_name: QueryText,
  not_group: QueryText,
})
/** The same of everybody's rows, for administrators. */
export const AllFilters = OwnFilters.extend({
  username: QueryText,
  channel: QueryNumber,
  /** One a line. */
  not_username: QueryText,
  /** With commas between. */
  not_channel: QueryNumbers,
})
export type LogFilters = z.infer<typeof AllFilters>
