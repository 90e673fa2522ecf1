import { QueryNumber, QueryText } from './fields.ts'

/** The filters that lists of drawings and of other tasks share. */
export const TASK_FILTERS = {
  status: QueryText.meta({ description: 'Exact status. Empty: any.', example: 'SUCCESS' }),
  action: QueryText.meta({ description: 'Exact action. Empty: any.', example: '' }),
  channel_id: QueryNumber.meta({ description: 'Channel id. 0: any.', example: 0 }),
}
