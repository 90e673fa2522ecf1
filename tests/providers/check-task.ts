import { expect, test } from 'bun:test'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import type { TaskAdapter } from '#server/provider-kit/contract/task.ts'
import { isObject } from '#server/provider-kit/json.ts'
import type { Expectation, ProviderFixtures } from './provider-fixtures.ts'

const TASK_BODY = { path: '/submit', json: { prompt: 'a lighthouse' } }

/** Whether a fixture belongs to an asynchronous task. */
export const isOfTask = (expected: Expectation): boolean =>
  'receipt' in expected || 'states' in expected || 'notice' in expected || 'seed' in expected

/** Adds the tests of a provider's task fixtures: each is read as expected, and the key stays in the headers. */
export function checkTask({ task }: Provider, fixtures: ProviderFixtures): void {
  const files = [...fixtures.expectations].filter(([, expected]) => isOfTask(expected))
  if (!task) {
    expect(files).toEqual([])
    return
  }
  test('has task fixtures for submission and polling', () => {
    expect(files.filter(([, expected]) => expected.receipt)).not.toEqual([])
    expect(files.filter(([, expected]) => expected.states)).not.toEqual([])
    if (task.readNotification) expect(files.filter(([, expected]) => expected.notice)).not.toEqual([])
    if (task.imageSeed) expect(files.filter(([, expected]) => expected.seed)).not.toEqual([])
  })
  for (const [file, expected] of files)
    test(`reads ${file} of a task`, () => expectRead(task, fixtures, file, expected))
  test('keeps the key out of task URLs and bodies', () => {
    const requests = [
      task.submit.request(fixtures.callOf(TASK_BODY, 'MODEL')),
      task.poll.request(fixtures.callOf(['1', '2'], '')),
      ...(task.imageSeed ? [task.imageSeed.request(fixtures.callOf('1', ''))] : []),
    ]
    for (const { url, body } of requests)
      for (const secret of fixtures.secrets) {
        expect(url).not.toContain(secret)
        expect(String(body ?? '')).not.toContain(secret)
      }
  })
  test('reads an invalid task response as a failure without throwing', () => {
    for (const json of [null, 7, 'text', [], {}, { code: 'x' }, [null, 7, {}]]) {
      expect(task.submit.reply(json, fixtures.callOf(TASK_BODY, 'MODEL')).kind).toBe('failure')
      const replied = task.poll.reply(json, fixtures.callOf([], ''))
      expect(replied.kind === 'reply' ? replied.reply : []).toEqual([])
      expect(task.readNotification?.(json)).toBeUndefined()
    }
  })
}

function expectRead(
  task: TaskAdapter,
  fixtures: ProviderFixtures,
  file: string,
  { model = 'MODEL', receipt, states, notice, seed, error }: Expectation,
): void {
  const json = fixtures.json(file)
  const replied =
    receipt === undefined ? undefined : task.submit.reply(json, fixtures.callOf(TASK_BODY, model))
  if (error) expect(replied).toMatchObject({ kind: 'failure', failure: error })
  else if (receipt) expect(replied).toMatchObject({ kind: 'reply', reply: receipt })
  if (states)
    expect(task.poll.reply(json, fixtures.callOf([], ''))).toMatchObject({ kind: 'reply', reply: states })
  if (notice) expect(task.readNotification?.(json)).toMatchObject(notice)
  if (seed) {
    const read = task.imageSeed?.reply(json, fixtures.callOf('1', ''))
    expect(read).toMatchObject({ kind: 'reply', reply: seed })
    expect(isObject(json)).toBe(true)
  }
}
