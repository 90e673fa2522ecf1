import { expect, test } from 'bun:test'
import type { LogEntry } from '#contract/logs/logs.ts'
import { toCurl } from './curl.ts'

const entry: LogEntry = {
  id: 1,
  request_id: 'r',
  user_id: 1,
  created_at: 0,
  type: 2,
  content: '',
  username: 'root',
  token_id: 1,
  token_name: 't',
  model_name: 'gpt-4o',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 5,
  use_time: 0,
  is_stream: true,
  channel: 1,
  channel_name: 'lab',
  group: 'default',
  other: '',
}

test('asks for the same model in the same way, without what was said and without a key', () => {
  const command = toCurl(entry, 'https://gateway')
  expect(command).toContain("curl 'https://gateway/v1/chat/completions'")
  expect(command).toContain('"model":"gpt-4o","stream":true')
  expect(command).toContain('$TOLLGATE_KEY')
})

test('an embedding is asked for as one, and a quote in a name cannot end the text', () => {
  const embedding = toCurl({ ...entry, model_name: 'text-embedding-3', completion_tokens: 0 }, 'https://g')
  expect(embedding).toContain("'https://g/v1/embeddings'")
  expect(toCurl({ ...entry, model_name: "a'b" }, 'https://g')).toContain("a'\\''b")
})
