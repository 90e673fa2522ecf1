import { inSection, integer, UNITS } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

const DAYS_MAX = 3660

export const options = inSection(SECTIONS.logs, {
  AuditLogDays: integer(0, [0, DAYS_MAX], {
    order: 20,
    label: { zh: '审计日志保留时间', en: 'Time to keep the audit log' },
    help: { zh: '与请求日志分开保留；0 表示永久保留。', en: 'Apart from the request log. 0: for ever.' },
    unit: UNITS.days,
    needs: 'recent-session',
  }),
})
