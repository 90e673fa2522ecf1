import type { English } from '#console/ui/text/text.ts'

const zh = { title: '预算', show: '查看管理员设置的预算' }
const en: English<typeof zh> = { title: 'Budgets', show: 'Show budgets set by administrators' }

/** Apart from the texts of the list, which come with it. */
export const text = { zh, en }
