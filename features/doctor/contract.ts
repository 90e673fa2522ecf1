import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { numberField } from '#contract/fields.ts'

export const getDiskForecast = endpoint({
  method: 'GET',
  path: '/api/option/disk',
  role: 'root',
  summary: 'Get how long the disk will last',
  description: 'Of the data folder on the machine that responds.',
  reply: z.object({
    free_bytes: numberField('Free bytes of the disk.', 21_474_836_480),
    full_in_days: z.number().nullable().meta({
      description:
        'Days until it is full at the pace of the last week. null: unknown, because the database is elsewhere or has had few requests.',
      example: 19,
    }),
  }),
})
