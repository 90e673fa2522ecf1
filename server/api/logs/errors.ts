import { apiErrors } from '../../core/api-error.ts'

export const logError = apiErrors('log', {
  unknown: { zh: '日志不存在', en: 'there is no such log row' },
  unknown_key: { zh: '无效的令牌', en: 'the key is not valid' },
  time_needed: { zh: '日志清理失败：请选择时间', en: 'choose the time before which rows are deleted' },
  deletion_running: { zh: '日志清理失败：清理已在进行中', en: 'old rows are already being deleted' },
})
