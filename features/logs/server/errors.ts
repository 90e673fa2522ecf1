import { apiErrors } from '#server/core/api-error.ts'

export const logError = apiErrors('log', {
  unknown: { zh: '日志不存在', en: 'there is no such log entry' },
  broken_link: { zh: '链接无效或已过期', en: 'the link is not valid or has expired' },
  unknown_key: { zh: '无效的令牌', en: 'the token is not valid' },
  time_needed: { zh: '日志清理失败：请选择时间', en: 'choose the time before which log entries are deleted' },
  deletion_running: { zh: '日志清理失败：清理已在进行中', en: 'old log entries are already being deleted' },
})
