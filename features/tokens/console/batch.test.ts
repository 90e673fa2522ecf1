import { expect, test } from 'bun:test'
import { batchDrafts, createBatch, randomSuffix } from './batch.ts'
import { NEW_TOKEN, toTokenDraft } from './form-schema.ts'

const draft = toTokenDraft({ ...NEW_TOKEN, name: 'worker' })

test('keeps the name of the first token and appends a dash and six characters to the others', () => {
  const [first, ...others] = batchDrafts(draft, 20).map(({ name }) => name)
  expect(first).toBe('worker')
  for (const name of others) expect(name).toMatch(/^worker-[A-Za-z0-9]{6}$/)
  expect(new Set(others).size).toBe(19)
})

test('generates a different suffix each time', () => {
  expect(new Set(Array.from({ length: 100 }, randomSuffix)).size).toBe(100)
})

test('creates tokens one after another and reports progress', async () => {
  const order: string[] = []
  const progress: number[] = []
  const create = async ({ name }: { readonly name: string }) => {
    order.push(name)
    return name
  }
  const { created, failed } = await createBatch(
    batchDrafts(draft, 3, () => 'aaaaaa'),
    create,
    done => progress.push(done),
  )
  expect(created).toEqual(['worker', 'worker-aaaaaa', 'worker-aaaaaa'])
  expect(failed).toEqual([])
  expect(order).toEqual([...created])
  expect(progress).toEqual([1, 2, 3])
})

test('returns failed drafts so that a retry creates only those', async () => {
  const drafts = batchDrafts(draft, 4)
  const created: string[] = []
  let isBroken = true
  const create = async ({ name }: { readonly name: string }) => {
    if (isBroken && name === drafts[2]?.name) throw new Error('refused')
    created.push(name)
    return name
  }
  const first = await createBatch(drafts, create, () => undefined)
  expect(first.failed.map(failure => failure.draft)).toEqual(drafts.slice(2, 3))
  isBroken = false
  await createBatch(
    first.failed.map(failure => failure.draft),
    create,
    () => undefined,
  )
  expect(created.toSorted()).toEqual(drafts.map(({ name }) => name).toSorted())
})
