import { z } from 'zod'
import { COST, endpoint, IdParams } from '#contract/endpoint.ts'
import { numberField } from '#contract/fields.ts'
import { LogEntry } from './logs.ts'

export const RECEIPT_LINK_DAYS = 90

const ReceiptLink = z
  .object({
    link: z.string().max(100).meta({
      description: 'Row, time of expiry and signature: the parameter `link` of the page `/receipt`.',
      example: '4711-1767776000-9f2b',
    }),
    expires_at: numberField('Unix seconds.', 1_767_776_000),
  })
  .meta({ id: 'ReceiptLink', description: 'A signed link to the receipt of one request.' })
export type ReceiptLink = z.infer<typeof ReceiptLink>

const creation = {
  method: 'POST',
  description: `For a charged request. Whoever has the link sees the receipt without signing in, for ${RECEIPT_LINK_DAYS} days.`,
  params: IdParams,
  reply: ReceiptLink,
} as const

export const createReceiptLink = endpoint({
  ...creation,
  path: '/api/log/:id/link',
  role: 'admin',
  summary: 'Create a link to the receipt of a request',
})

export const createSelfReceiptLink = endpoint({
  ...creation,
  path: '/api/log/self/:id/link',
  role: 'user',
  organization: 'member',
  summary: 'Create a link to the receipt of one of your requests',
})

export const getReceipt = endpoint({
  method: 'GET',
  path: '/api/log/receipt',
  role: 'visitor',
  cost: COST.visit,
  summary: 'Get the receipt of a signed link',
  description: 'As its user sees the row: without channels and upstream details.',
  query: z.object({
    link: z.string().max(100).default('').meta({ description: 'The signed link.', example: '' }),
  }),
  reply: LogEntry,
})
