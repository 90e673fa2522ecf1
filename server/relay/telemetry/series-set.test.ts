import { expect, test } from 'bun:test'
import { SeriesSet } from './series-set.ts'

test('beyond a number of models they are told apart no more, and none is lost', () => {
  const series = new SeriesSet(() => ({ count: 0 }))
  const labels = { operation: 'chat', provider: undefined } as const
  for (let round = 0; round < 2; round += 1)
    for (let index = 0; index < 5000; index += 1)
      series.of({ ...labels, requestModel: `model-${index}`, responseModel: 'any' }).count += 1
  const all = series.all()
  expect(all).toHaveLength(201)
  expect(all.at(-1)).toEqual([
    { gen_ai_operation_name: 'chat', gen_ai_provider_name: '_OTHER', gen_ai_request_model: '_OTHER' },
    { count: 2 * 4800 },
  ])
  expect(all.reduce((sum, [, { count }]) => sum + count, 0)).toBe(10_000)
})
