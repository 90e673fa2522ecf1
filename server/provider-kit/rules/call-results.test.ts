import { expect, test } from 'bun:test'
import type { ChatBody } from '../contract/chat.ts'
import { callsWithoutResult, withAllIds, withAllResults } from './call-results.ts'

const call = (id: string, name: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: '{}' },
})
const turn = (...ids: readonly string[]): ChatBody['messages'] => [
  { role: 'assistant', content: null, tool_calls: ids.map((id, at) => call(id, `tool_${at}`)) },
  ...ids.map((id, at) => ({ role: 'tool' as const, tool_call_id: id || null, content: `${at}` })),
]
const bodyOf = (...messages: ChatBody['messages']): ChatBody => ({ model: 'lab', messages })
const idsOf = ({ messages }: ChatBody) =>
  messages.flatMap(({ tool_calls, tool_call_id }) => tool_calls?.map(({ id }) => id) ?? [tool_call_id])

test('calls without an id get one each, which their results share in their order', () => {
  const body = withAllIds(bodyOf(...turn('', 'own', ''), ...turn('')))
  const [first, own, second, ...results] = idsOf(body)
  expect(new Set([first, own, second, results[3]]).size).toBe(4)
  expect(results).toEqual([first, 'own', second, results[3], results[3]])
  expect(callsWithoutResult(body).size).toBe(0)
  expect(withAllResults(body)).toBe(body)
})

test('the ids of earlier turns stay as they were', () => {
  const before = idsOf(withAllIds(bodyOf(...turn('', ''))))
  const after = idsOf(withAllIds(bodyOf(...turn('', ''), ...turn(''))))
  expect(after.slice(0, before.length)).toEqual(before)
})

test('a body whose calls all have ids stays the same', () => {
  const body = bodyOf(...turn('a', 'b'))
  expect(withAllIds(body)).toBe(body)
})

const contentsOf = ({ messages }: ChatBody) =>
  messages.map(({ content, tool_calls }) => content ?? tool_calls?.length)

test('results follow their calls, also past a message of the model', () => {
  const [calls, ...results] = turn('a', 'b')
  if (!calls) throw new Error('no calls')
  const between = { role: 'assistant' as const, content: 'between' }
  const body = bodyOf(calls, between, ...results.toReversed(), { role: 'user', content: 'and?' })
  expect(contentsOf(withAllResults(body))).toEqual([2, '0', '1', 'between', 'and?'])
})

test('a call without a result gets one, also at the end, but not while it waits', () => {
  const [calls, first] = turn('a', 'b')
  if (!calls || !first) throw new Error('no calls')
  const stopped = 'The call was stopped before it had a result.'
  expect(contentsOf(withAllResults(bodyOf(calls, first)))).toEqual([2, '0', stopped])
  const waiting = bodyOf(first, calls)
  expect(withAllResults(waiting)).toBe(waiting)
})

test('a call takes no result of a later turn with the same id', () => {
  const [calls] = turn('a')
  if (!calls) throw new Error('no calls')
  const body = bodyOf(calls, { role: 'user', content: 'stop' }, ...turn('a'))
  expect(contentsOf(withAllResults(body))).toEqual([1, expect.stringContaining('stopped'), 'stop', 1, '0'])
})

test('a result without an id belongs to the first call without a result', () => {
  const [calls, ...results] = turn('a', 'b')
  if (!calls) throw new Error('no calls')
  const body = bodyOf(calls, ...results.map(result => ({ ...result, tool_call_id: null })))
  expect(idsOf(withAllIds(body))).toEqual(['a', 'b', 'a', 'b'])
})
