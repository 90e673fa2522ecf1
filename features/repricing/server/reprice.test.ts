import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { cancelReprice, getReprice, startReprice } from '../contract.ts'

const PERIOD = { from: 1000, until: 2000 }
const FINISHED = { description: 'the end of the computation', timeoutMs: 20_000 }

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

async function insertRequest(userId: number): Promise<void> {
  const row = {
    request_id: 'one',
    user_id: userId,
    created_at: PERIOD.from,
    type: 2,
    username: 'ann',
    token_id: 1,
    token_name: 'token',
    model_name: 'gpt-4o',
    channel_id: 1,
    group: 'default',
    quota: 1250,
    prompt_tokens: 1000,
    completion_tokens: 0,
    use_time: 1,
    is_stream: 0,
    content: '',
  } as const
  const { id } = await app.db.insertInto('logs').values(row).returning('id').executeTakeFirstOrThrow()
  const body =
    '{"ending":"complete","provenance":"upstream","usage":{"input":1000},"lines":[],"exact":"1250"}'
  await app.db.insertInto('receipts').values({ log_id: id, body }).execute()
}

async function finished() {
  await waitUntil(FINISHED, async () => (await app.root.call(getReprice)).data.status !== 'running')
  return (await app.root.call(getReprice)).data
}

test('200: a draft is tried on past requests and nothing is stored', async () => {
  await app.addUser({ username: 'ann' })
  const { id } = await app.db
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'ann')
    .executeTakeFirstOrThrow()
  await insertRequest(id)
  expect((await app.root.call(getReprice)).data).toMatchObject({ status: 'none', share: 0 })
  const options = { GroupRatio: '{"default": 1.2}' }
  const started = await app.root.call(startReprice, { body: { ...PERIOD, options, limit_percent: 10 } })
  expect(started.data).toMatchObject({ status: 'running', ...PERIOD })
  const { status, result } = await finished()
  expect(status).toBe('done')
  const sums = { requests: 1, before: 1250, after: 1500 }
  expect(result).toMatchObject({
    ...sums,
    kept: [],
    models: [{ name: 'gpt-4o', ...sums }],
    groups: [{ name: 'default', ...sums }],
    users: [{ id, username: 'ann', is_above: true, ...sums }],
    user_count: 1,
    users_above: 1,
  })
  expect(app.settings.current().values.GroupRatio.default).toBe(1)
})

test('200: options in force apply where there is no draft', async () => {
  await insertRequest(1)
  await app.root.call(startReprice, { body: { ...PERIOD, options: {} } })
  expect((await finished()).result).toMatchObject({ before: 1250, after: 1250 })
})

test('200: a computation is cancelled', async () => {
  await app.root.call(startReprice, { body: { ...PERIOD, options: {} } })
  const { data } = await app.root.call(cancelReprice)
  expect(['cancelled', 'done']).toContain(data.status)
})

test('an option that cannot be saved is refused with its name', async () => {
  const body = { ...PERIOD, options: { ModelRatio: '{"gpt-4o": -1}' } }
  const response = await app.root.call(startReprice, { body })
  expect(response).toMatchObject({ success: false, code: 'invalid_parameter' })
  expect(response.message).toContain('ModelRatio')
  expect((await app.root.call(getReprice)).data.status).toBe('none')
})

test('a period that ends before it begins is refused', async () => {
  const response = await app.root.call(startReprice, { body: { from: 2, until: 2, options: {} } })
  expect(response).toMatchObject({ success: false, code: 'reprice.empty_period' })
})

test('a second computation is refused while one runs', async () => {
  const body = { ...PERIOD, options: {} }
  const [first, second] = await Promise.all([
    app.root.call(startReprice, { body }),
    app.root.call(startReprice, { body }),
  ])
  const codes = [first, second].map(({ success, code }) => (success ? 'started' : code))
  expect(codes).toContain('started')
  for (const code of codes) expect(['started', 'reprice.running']).toContain(code ?? '')
  await finished()
})

test('403: only the super administrator tries prices', async () => {
  const admin = await app.addUser({ username: 'adam', role: 'admin' })
  expect(await admin.call(getReprice)).toMatchObject({ success: false })
  expect(await admin.call(startReprice, { body: { ...PERIOD, options: {} } })).toMatchObject({
    success: false,
  })
})
