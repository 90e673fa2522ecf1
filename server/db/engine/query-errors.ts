import { apiErrors } from '../../core/api-error.ts'

const SERVICE_UNAVAILABLE = 503
const GATEWAY_TIMEOUT = 504

/** Queries that cannot run now. `seconds`: when to try again. */
export const queryUnavailable = apiErrors(
  'query',
  {
    busy: {
      zh: '当前查询过多，请在 {seconds} 秒后重试',
      en: 'too many queries are waiting; try again in {seconds} s',
    },
  },
  SERVICE_UNAVAILABLE,
)

/** Queries that were stopped at their time limit. */
export const queryTimeout = apiErrors(
  'query',
  {
    too_slow: {
      zh: '查询时间过长，已停止，请缩小时间范围或增加筛选条件',
      en: 'the query took too long and was stopped; choose a shorter time range or more filters',
    },
  },
  GATEWAY_TIMEOUT,
)
