import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { QueryText } from '../fields.ts'
import { LogEntry } from './logs.ts'

const query = z.object({ keyword: QueryText })

export const searchLogs = endpoint({
  method: 'GET',
  path: '/api/log/search',
  role: 'admin',
  summary:
    'The newest 100 rows of a type, or, among the newest 20,000, whose text begins so; `/api/log/` filters better',
  query,
  reply: z.array(LogEntry),
})

export const searchSelfLogs = endpoint({
  method: 'GET',
  path: '/api/log/self/search',
  role: 'user',
  summary: 'As the search of all rows, of the own ones',
  query,
  reply: z.array(LogEntry),
})
